import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import type { InspectReport } from '@/lib/services/engines/embedded/hub/inspect'
import { WITHOUT_NODE_LLAMA_CPP } from '@/lib/services/engines/embedded/testing/absent-binary'
import { type RandomGguf, randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'

const ENTRY = path.resolve('lib/services/engines/embedded/hub/gguf-worker.ts')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'inspect-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Inspects a file as a download does. Without a report the process has died. */
async function inspect(bytes: Buffer, runtime: ChatRuntime) {
  const file = path.join(folder, 'model.gguf')
  await writeFile(file, bytes)
  const execArgv = runtime === 'llama.node' ? WITHOUT_NODE_LLAMA_CPP : ['--no-warnings']
  const child = fork(ENTRY, [file, '', runtime], { execArgv, silent: true })
  let report: InspectReport | undefined
  let errors = ''
  child.on('message', (message: InspectReport) => {
    report = message
  })
  child.stderr?.on('data', (text) => {
    errors += text
  })
  await once(child, 'close')
  return { report, errors }
}

const gguf = (more: RandomGguf = {}) => randomGguf({ name: 'Random', ...more })

describe.each<ChatRuntime>(['node-llama-cpp', 'llama.node'])('with %s, a model file', (runtime) => {
  test('says what it is', async () => {
    expect((await inspect(gguf(), runtime)).report).toMatchObject({
      type: 'facts',
      facts: { name: 'Random', architecture: 'llama', quantization: 'F32', contextTokens: 512, callsTools: false },
    })
  })

  test.each([
    ['is of an unknown architecture', gguf({ architecture: 'novel' }), "unknown model architecture: 'novel'"],
    ['is cut off', gguf().subarray(0, -5_000), 'data is not within the file bounds'],
  ])('that %s is refused, and the error output says why', async (_, bytes, why) => {
    const { report, errors } = await inspect(bytes, runtime)
    expect(report?.type).not.toBe('facts')
    // node-llama-cpp may end before its log is written.
    if (runtime === 'llama.node') expect(errors).toContain(why)
  })

  test.each([
    ['has a broken template', gguf({ template: '{% for x in %}' }), {}],
    ['has no template', gguf({ template: '' }), { sentence: expect.stringContaining('has no chat template') }],
  ])('that %s is refused', async (_, bytes, sentence) => {
    expect((await inspect(bytes, runtime)).report).toMatchObject({ type: 'refused', ...sentence })
  })
})

const number = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
const type = (value: number) => Buffer.from([value, 0, 0, 0])
const header = (entries: bigint) => Buffer.concat([Buffer.from('GGUF'), type(3), number(0n), number(entries)])
const key = Buffer.concat([number(1n), Buffer.from('a')])
const [text, array] = [type(8), type(9)]
test.each([
  ['a header of more entries than bytes', Buffer.concat([header(2n ** 64n - 1n), Buffer.alloc(1_000)])],
  ['a text that is longer than any file', Buffer.concat([header(1n), key, text, number(2n ** 60n)])],
  [
    'arrays in arrays',
    Buffer.concat([header(1n), key, array, ...Array(20_000).fill(Buffer.concat([array, number(1n)]))]),
  ],
])('a file with %s is damaged, and is none of a model that cannot be used', async (_, bytes) => {
  const { report } = await inspect(bytes, 'node-llama-cpp')
  expect(report?.type).not.toBe('facts')
  expect(report ?? {}).not.toHaveProperty('sentence')
})
