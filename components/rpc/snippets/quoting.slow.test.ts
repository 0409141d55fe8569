import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyOf } from '@/components/rpc/client'
import { printSnippet, snippetsFor } from '@/components/rpc/snippets/snippets'
import { anyCall, anyParams, type Recorder, run, startRecorder } from '@/components/rpc/snippets/testing'
import { jsLiteral, pyLiteral, visibleJson } from '@/lib/contract/code-literals'
import { networkOf } from '@/lib/contract/rpc-networks'

const network = networkOf('base-mainnet')!

let recorder: Recorder
let folder: string
beforeAll(async () => {
  recorder = await startRecorder()
  folder = await mkdtemp(path.join(tmpdir(), 'lagoon-snippets-'))
})
afterAll(async () => {
  await recorder?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('curl: what a shell makes of it is what was written, whatever the parameters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 3 }), fc.boolean(), async (calls, isBatch) => {
      const text = printSnippet('curl', { origin: recorder.origin, network, calls, isBatch })
      await run('/bin/sh', ['-c', text])
      expect(recorder.take()).toEqual([
        {
          path: '/api/v1/crypto/rpc/base-mainnet',
          authorization: 'Bearer a key',
          calls: isBatch ? calls : calls.slice(0, 1),
          isBatch,
        },
      ])
    }),
    { numRuns: 25 },
  )
})

test('curl: a body that no argument can hold goes in by standard input', async () => {
  const calls = [{ method: 'eth_call', params: [`0x${'ab'.repeat(200_000)}`, "it's $HOME\nJSON\n"] }]
  const text = printSnippet('curl', { origin: recorder.origin, network, calls, isBatch: false })
  await run('/bin/sh', [], { input: text })
  expect(recorder.take()).toMatchObject([{ calls }])
})

test('TypeScript: a literal is the value it was made from', () => {
  fc.assert(
    fc.property(anyParams, (params) => {
      const value: unknown = new Function(`return (${jsLiteral(params)})`)()
      expect(JSON.stringify(value)).toBe(JSON.stringify(params))
    }),
    { numRuns: 500 },
  )
})

test('Python: a literal is the value it was made from', async () => {
  const all = fc.sample(anyParams, 200)
  const program = `import json\nprint(json.dumps([\n${all.map((params) => `${pyLiteral(params)},\n`).join('')}]))`
  await writeFile(path.join(folder, 'values.py'), program)
  const printed = JSON.parse(await run('python3', [path.join(folder, 'values.py')])) as unknown
  expect(printed).toEqual(all)
})

test('web3.py: every program compiles', async () => {
  const inputs = fc.sample(fc.tuple(fc.array(anyCall, { minLength: 1, maxLength: 3 }), fc.boolean()), 40)
  const files = inputs.map((_, index) => path.join(folder, `snippet-${index}.py`))
  const texts = inputs.map(([calls, isBatch]) =>
    printSnippet('web3py', { origin: 'https://example.com', network, calls, isBatch }),
  )
  await Promise.all(files.map((file, index) => writeFile(file, texts[index] ?? '')))
  await run('python3', ['-m', 'py_compile', ...files])
})

test('what is nested deeper than compilers like is read at run time', async () => {
  let deep: unknown = 'the bottom'
  for (let depth = 0; depth < 900; depth++) deep = depth % 2 === 0 ? [deep] : { in: deep }
  const params = [deep]
  const value: unknown = new Function(`return (${jsLiteral(params)})`)()
  expect(JSON.stringify(value)).toBe(JSON.stringify(params))
  const text = printSnippet('web3py', {
    origin: 'https://example.com',
    network,
    calls: [{ method: 'eth_call', params }],
    isBatch: false,
  })
  await writeFile(path.join(folder, 'deep.py'), text)
  await run('python3', ['-m', 'py_compile', path.join(folder, 'deep.py')])
})

test('nothing in a program is invisible or turns the direction of text', () => {
  const hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const { kind } of snippetsFor('evm')) {
        const calls = [{ method: text, params: [text, { [text]: text }] }]
        expect(printSnippet(kind, { origin: 'https://example.com', network, calls, isBatch: false })).not.toMatch(
          hidden,
        )
      }
      expect(JSON.parse(visibleJson(text))).toBe(text)
    }),
  )
})

test('no program holds a key, and each names the variable that does', () => {
  for (const family of ['evm', 'starknet'] as const) {
    for (const { kind } of snippetsFor(family)) {
      for (const isBatch of [false, true]) {
        const calls = [{ method: 'eth_blockNumber', params: [] }]
        const input = { origin: 'https://example.com', network, calls, isBatch }
        expect(printSnippet(kind, input)).toContain('API_KEY')
        expect(printSnippet(kind, input)).toContain('https://example.com/api/v1/crypto/rpc/base-mainnet')
      }
    }
  }
})

test('a single call and a batch of one are told apart', () => {
  const calls = [{ method: 'eth_blockNumber', params: [] }]
  expect(JSON.stringify(bodyOf(calls, true))).toMatch(/^\[/)
  expect(printSnippet('fetch', { origin: 'https://example.com', network, calls, isBatch: true })).toContain(
    'stringify([',
  )
})
