import { fork } from 'node:child_process'
import { on } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ChatCommand, ChatReport } from '@/lib/services/engines/embedded/chat/chat-protocol'
import type { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import { chooseRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import { Processors } from '@/lib/services/engines/embedded/processors/processors'
import { WITHOUT_NODE_LLAMA_CPP } from '@/lib/services/engines/embedded/testing/absent-binary'
import {
  CONTEXT_TOKENS,
  chatRequest,
  collect,
  randomChatModel,
} from '@/lib/services/engines/embedded/testing/random-chat-model'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import type { ChatRequest } from '@/lib/services/engines/engine'

const open = new AbortController().signal
const LINUX = { platform: 'linux', arch: 'x64' } as const
const MAC = { platform: 'darwin', arch: 'arm64' } as const
const WINDOWS = { platform: 'win32', arch: 'x64' } as const

test('text runs in node-llama-cpp where it has a binary, and elsewhere in llama.node, as images do everywhere', () => {
  const eyes = { projectorPath: 'mmproj.gguf' }
  expect(chooseRuntime({}, LINUX)).toEqual({ runtime: 'node-llama-cpp' })
  expect(chooseRuntime(eyes, LINUX)).toMatchObject({ runtime: 'llama.node', isOnCpu: true })
  for (const system of [MAC, WINDOWS]) {
    expect(chooseRuntime({}, system)).toMatchObject({ runtime: 'llama.node' })
    expect(chooseRuntime(eyes, system)).toEqual(chooseRuntime({}, system))
  }
  for (const system of [LINUX, MAC, WINDOWS]) {
    expect(chooseRuntime({ form: 'onnx' }, system)).toMatchObject({ runtime: 'transformers.js', isOnCpu: true })
  }
})

describe('a text model in llama.node', () => {
  let model: ManagedChatModel
  let close: () => Promise<void>
  beforeAll(async () => {
    const processors = new Processors({ setting: 'auto', dataDir: 'none', system: WINDOWS, found: [] })
    ;({ room: model, close } = await randomChatModel({ system: WINDOWS, processors }))
  })
  afterAll(() => close())

  const answer = (more: Partial<ChatRequest> = {}) => collect(model.stream(chatRequest(more), open))

  test('streams deltas, then the end of its choice, then usage, and the page says what it runs in', async () => {
    const { events, text, usage } = await answer({ maxTokens: 20 })
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['choice-end', 'usage'])
    expect(events.length).toBeGreaterThan(3)
    expect(text).not.toBe('')
    expect(usage).toMatchObject({ inputTokens: 24, outputTokens: 20 })
    expect(model.state().processor).toMatchObject({
      kind: 'cpu',
      reason: 'No GPU was found. Models run in llama.node on win32 x64.',
    })
  })

  test('answers requests that come together one after the other', async () => {
    const alone = await answer({ maxTokens: 30 })
    const together = await Promise.all([answer({ maxTokens: 30 }), answer({ maxTokens: 30 })])
    expect(together.map(({ text }) => text)).toEqual([alone.text, alone.text])
  })

  test('keeps to a schema, and calls a tool', async () => {
    const schema = { type: 'object', properties: { red: { type: 'boolean' } }, required: ['red'] }
    const json = { name: 'colour', schema, strict: true }
    const { text } = await answer({ maxTokens: 60, responseFormat: { type: 'json_schema', json_schema: json } })
    expect(JSON.parse(text)).toEqual({ red: expect.any(Boolean) })
    const tools = [{ type: 'function' as const, function: { name: 'say', parameters: schema } }]
    const { calls, reasons } = await answer({ maxTokens: 100, tools, toolChoice: 'required' })
    expect(calls).toMatchObject([{ name: 'say' }])
    expect(JSON.parse(calls[0]!.arguments)).toEqual({ red: expect.any(Boolean) })
    expect(reasons).toEqual(['tool_calls'])
  })

  test('refuses what it cannot do with a sentence, and answers the next request in the same process', async () => {
    const { processId } = model.state()
    const schema = { $ref: '#/$defs/A', $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] } } }
    const json = { name: 'endless', schema, strict: true }
    for (const more of [
      { responseFormat: { type: 'json_schema' as const, json_schema: json } },
      { logprobs: { top: 1 } },
      { stopTokenIds: [1] },
    ]) {
      await expect(answer(more)).rejects.toMatchObject({ reason: 'invalid-request' })
    }
    expect((await answer({ maxTokens: 5 })).reasons).toEqual(['length'])
    expect(model.state().processId).toBe(processId)
  })
})

test.each<{ isPlain?: true; addsBos: boolean }>([
  { addsBos: false },
  { addsBos: true },
  { addsBos: false, isPlain: true },
])('both runtimes read as many tokens with %j', async ({ isPlain, addsBos }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'prompt-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'model.gguf')
  const template =
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}" +
    "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>' }}{% endif %}{% endif %}"
  await writeFile(file, randomGguf({ template, addsBos }))
  const [usual, other] = await Promise.all(
    [LINUX, WINDOWS].map(async (system) => {
      const model = { ...OPTIONS, ...(isPlain && { isPlain }) }
      const { room, close } = await randomChatModel({ system, model, findWeights: async () => file })
      onTestFinished(close)
      const messages: ChatRequest['messages'] = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ]
      return (await collect(room.stream(chatRequest({ messages, maxTokens: 3 }), open))).usage?.inputTokens
    }),
  )
  expect(usual).toBeGreaterThan(0)
  expect(other).toBe(usual)
})

test('a model whose GPU is not found by llama.node runs on the CPU, and says so', async () => {
  const found = [{ kind: 'metal', evidence: 'Apple silicon' } as const]
  const processors = new Processors({ setting: 'auto', dataDir: 'none', system: MAC, found })
  const { room: model, close } = await randomChatModel({ system: MAC, processors })
  onTestFinished(close)
  expect(model.state().processor).toMatchObject({
    kind: 'metal',
    reason: 'A GPU for Metal was found (Apple silicon). Models run in llama.node on darwin arm64.',
  })
  expect((await collect(model.stream(chatRequest({ maxTokens: 5 }), open))).reasons).toEqual(['length'])
  expect(model.state().processor).toMatchObject({
    kind: 'cpu',
    reason: 'The runtime found no GPU. The CPU is used.',
  })
})

test('the process of llama.node takes requests that come at once, and one that is canceled before its turn', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'llama-node-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const modelPath = path.join(folder, 'model.gguf')
  await writeFile(modelPath, randomGguf())
  const entry = path.resolve('lib/services/engines/embedded/chat/llama-node-worker.ts')
  const child = fork(entry, { execArgv: WITHOUT_NODE_LLAMA_CPP, silent: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  const send = (command: ChatCommand) => child.send(command)
  const answers = new Map<number, string>()
  const ended: number[] = []
  const reports = on(child, 'message') as AsyncIterable<[ChatReport]>
  send({ type: 'load', options: { modelPath, ...OPTIONS } })
  for await (const [report] of reports) {
    if (report.type === 'loaded') {
      for (const id of [1, 2, 3]) send({ type: 'generate', id, request: chatRequest({ maxTokens: 20 }) })
      send({ type: 'cancel', id: 2 })
    }
    if (report.type === 'events') {
      const texts = report.events.map((event) => (event.type === 'text-delta' ? event.text : ''))
      answers.set(report.id, (answers.get(report.id) ?? '') + texts.join(''))
    }
    expect(report.type).not.toBe('failed')
    if (report.type === 'end') ended.push(report.id)
    if (ended.length === 3) break
  }
  expect(ended).toEqual([1, 2, 3])
  expect(answers.get(1)).not.toBe('')
  expect(answers.get(3)).toBe(answers.get(1))
  expect(answers.has(2)).toBe(false)
})

const OPTIONS = {
  contextTokens: CONTEXT_TOKENS,
  sequences: 1,
  threads: 1,
  defaults: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1 },
  turnMarks: [],
}
