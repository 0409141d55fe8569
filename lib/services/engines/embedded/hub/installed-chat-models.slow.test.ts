import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEmbeddedChatEngine } from '@/lib/services/engines/embedded/chat/chat'
import type { InstalledChatModel } from '@/lib/services/engines/embedded/hub/chat-models'
import { readSpeeds } from '@/lib/services/engines/embedded/hub/speed'
import { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import type { System } from '@/lib/services/engines/embedded/processors/packages'
import { imageFile } from '@/lib/services/engines/embedded/testing/images'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { writeRandomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { randomProjector } from '@/lib/services/engines/embedded/testing/random-projector'
import type { ChatRequest } from '@/lib/services/engines/engine'
import { queuePosition } from '@/lib/services/engines/queue-positions'

const open = new AbortController().signal

async function engineOf(
  budgetBytes: number,
  neededBytes: Record<string, number>,
  projector?: Buffer,
  system: System = { platform: 'linux', arch: 'x64' },
) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'room-'))
  const modelPath = path.join(dataDir, 'model.gguf')
  await writeRandomGguf(modelPath)
  const projectorPath = path.join(dataDir, 'mmproj.gguf')
  if (projector) await writeFile(projectorPath, projector)
  const budget = new MemoryBudget(() => ({ budget: budgetBytes, available: 1_000 }))
  const engine = createEmbeddedChatEngine({ profile: 'lean', dataDir, budget, system })
  onTestFinished(async () => {
    await engine.close()
    await rm(dataDir, { recursive: true, maxRetries: 5 })
  })
  const model = (name: string): InstalledChatModel => ({
    name,
    version: '1',
    weightBytes: 400_000,
    neededBytes: neededBytes[name]!,
    modelPath,
    loadDeadlineMs: 60_000,
    options: {
      contextTokens: 512,
      sequences: 2,
      threads: 1,
      defaults: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1 },
      turnMarks: [],
      ...(projector && { projectorPath }),
    },
  })
  engine.setInstalled(Object.keys(neededBytes).map(model))
  const ask = (name: string, maxTokens = 3) => collect(engine.stream(chatRequest({ model: name, maxTokens }), open))
  const states = () =>
    Object.fromEntries(
      engine.state().flatMap(({ model, state }) => (model in neededBytes ? [[model, state] as const] : [])),
    )
  return { engine, ask, states, dataDir }
}

test('a model that needs the memory unloads the one that was not used for longest', async () => {
  const { ask, states } = await engineOf(1_000, { one: 400, two: 400, three: 400 })
  await ask('one')
  await ask('two')
  await ask('one')
  expect(states()).toEqual({ one: 'ready', two: 'ready', three: 'asleep' })
  await ask('three')
  expect(states()).toEqual({ one: 'ready', two: 'asleep', three: 'ready' })
  // It comes back when it is wanted.
  await ask('two')
  expect(states()).toEqual({ one: 'asleep', two: 'ready', three: 'ready' })
})

test('a model that is answering is not unloaded: the other one waits in line until it is done', async () => {
  const { engine, ask, states } = await engineOf(1_000, { one: 600, two: 600 })
  const answer = engine.stream(chatRequest({ model: 'one', maxTokens: 400 }), open)[Symbol.asyncIterator]()
  await answer.next()
  const other = ask('two')
  await expect.poll(states).toEqual({ one: 'ready', two: 'queued' })
  await answer.return?.()
  expect((await other).reasons).toEqual(['length'])
  expect(states()).toEqual({ one: 'asleep', two: 'ready' })
})

test('requests tell their positions by name: for a model that is busy, and for its memory', async () => {
  const { engine } = await engineOf(1_000, { one: 600, two: 600 })
  const ask = (model: string, requestName?: string, signal = new AbortController().signal) =>
    collect(engine.stream(chatRequest({ model, maxTokens: 3, requestName }), signal))
  const busy = [1, 2].map(() =>
    engine.stream(chatRequest({ model: 'one', maxTokens: 400 }), new AbortController().signal),
  )
  const iterators = busy.map((events) => events[Symbol.asyncIterator]())
  await Promise.all(iterators.map((events) => events.next()))
  const leaving = new AbortController()
  const left = ask('one', 'left', leaving.signal)
  const waiting = [ask('one', 'next'), ask('one'), ask('one', 'last'), ask('two', 'memory')]
  const positions = () => ['left', 'next', 'last', 'memory', 'nobody'].map(queuePosition)
  await expect.poll(positions, { timeout: 10_000 }).toEqual([1, 2, 4, 1, undefined])
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(positions()).toEqual([undefined, 1, 3, 1, undefined])
  await Promise.all(iterators.map((events) => events.return?.()))
  for (const { reasons } of await Promise.all(waiting)) expect(reasons).toEqual(['length'])
  expect(positions()).toEqual([undefined, undefined, undefined, undefined, undefined])
})

test('two that are wanted at the same moment do not count the same memory: one answers after the other', async () => {
  const { ask, states } = await engineOf(1_000, { one: 600, two: 600 })
  const answers = await Promise.all([ask('one', 200), ask('two', 200)])
  expect(answers.map(({ reasons }) => reasons)).toEqual([['length'], ['length']])
  expect(Object.values(states()).filter((state) => state === 'ready')).toHaveLength(1)
})

test('a model that needs more than there is is refused, with a sentence', async () => {
  const { ask } = await engineOf(1_000, { one: 1_600 })
  await expect(ask('one')).rejects.toMatchObject({
    reason: 'offline',
    message: expect.stringMatching(/needs 2 KB of memory, and 1 KB are free .* others are not in use/),
  })
})

test('an answer that has the machine to itself measures the speed', async () => {
  const { ask, dataDir } = await engineOf(1_000, { one: 400 })
  await ask('one', 60)
  await expect.poll(async () => (await readSpeeds(dataDir)).one?.tokensPerSecond).toBeGreaterThan(0)
})

test('a model that sees answers text in the runtime of the others, and images in its own', async () => {
  const { engine, ask, dataDir } = await engineOf(1_000, { one: 400 }, randomProjector())
  const ready = () => engine.state().flatMap(({ model, state }) => (state === 'ready' ? [model] : []))
  const { usage: text } = await ask('one')
  expect(ready()).toEqual(['one'])
  const image = await collect(engine.stream(await imageRequest(), open))
  expect(image.usage!.inputTokens).toBeGreaterThan(text!.inputTokens)
  expect(ready()).toEqual(['one', 'one (images)'])
  // Its speed is not that of the model's text.
  expect((await readSpeeds(dataDir)).one).toBeUndefined()
  engine.setInstalled([])
  expect(ready()).toEqual([])
})

test('a model that sees answers text and images in one process where that is the runtime of all', async () => {
  const system = { platform: 'darwin', arch: 'arm64' } as const
  const { engine, ask } = await engineOf(1_000, { one: 400 }, randomProjector(), system)
  const { usage: text } = await ask('one')
  const image = await collect(engine.stream(await imageRequest(), open))
  expect(image.usage!.inputTokens).toBeGreaterThan(text!.inputTokens)
  expect(engine.state().flatMap(({ model, state }) => (state === 'ready' ? [model] : []))).toEqual(['one'])
})

async function imageRequest(): Promise<ChatRequest> {
  const url = `data:image/png;base64,${(await imageFile(40, 30, '', 'red')).toString('base64')}`
  const content = [
    { type: 'text' as const, text: 'hello' },
    { type: 'image_url' as const, image_url: { url } },
  ]
  return chatRequest({ model: 'one', messages: [{ role: 'user', content }], maxTokens: 60 })
}
