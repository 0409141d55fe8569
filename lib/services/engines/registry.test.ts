import { afterEach, expect, test } from 'vitest'
import {
  chatEngine,
  closeEngines,
  EMBEDDED_ENGINE,
  embeddingEngine,
  imageReader,
  installEngines,
  speechEngine,
  transcriptionEngine,
} from '@/lib/services/engines/registry'
import {
  chunk,
  collect,
  DONE,
  request,
  startUpstream,
  textOf,
} from '@/lib/services/engines/upstream/testing/fake-upstream'
import { withEnvironment } from '@/lib/services/identity/testing'

afterEach(closeEngines)

const NONE = new Set<string>()

test('an engine that a reload drops ends what it began', async () => {
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200).write(chunk({ content: 'Hel' }))
    setTimeout(() => response.end(chunk({ content: 'lo' }, 'stop') + DONE), 150)
  })
  const options = { kind: 'openai' as const, baseUrls: [upstream.baseUrl] }
  await installEngines({ house: options }, NONE)
  const answer = collect(chatEngine('house'), request())
  await new Promise((resolve) => setTimeout(resolve, 50))
  await installEngines({}, NONE)
  expect(() => chatEngine('house')).toThrow(expect.objectContaining({ name: 'EngineError', reason: 'offline' }))
  expect(textOf(await answer)).toBe('Hello')
  await upstream.close()
})

test('a closed engine says that the model is away', async () => {
  await installEngines({ house: { baseUrls: ['http://127.0.0.1:9/v1'] } }, NONE)
  const engine = chatEngine('house')
  await closeEngines()
  await expect(collect(engine, request())).rejects.toMatchObject({ name: 'UpstreamError' })
})

test('each embedded engine is made once, starts nothing by being asked for, and is made anew after a close', async () => {
  const engines = () => [embeddingEngine(), speechEngine(), imageReader(), transcriptionEngine(EMBEDDED_ENGINE)]
  await withEnvironment({ EMBEDDED_MODELS: 'lean' }, async () => {
    const first = engines()
    for (const [index, engine] of engines().entries()) expect(engine).toBe(first[index])
    for (const engine of first) expect(engine).toMatchObject({ state: expect.any(Function) })
    const stateOf = (engine: unknown) => (engine as { state(model: string): { state: string } }).state('whisper-tiny')
    expect(first.map((engine) => stateOf(engine).state)).toEqual(['asleep', 'asleep', 'asleep', 'asleep'])
    await closeEngines()
    for (const [index, engine] of engines().entries()) expect(engine).not.toBe(first[index])
  })
})

test('where embedded models are off there are none, and what must hear says so', async () => {
  await withEnvironment({ EMBEDDED_MODELS: 'off' }, async () => {
    expect([embeddingEngine(), speechEngine(), imageReader()]).toEqual([undefined, undefined, undefined])
    expect(() => transcriptionEngine(EMBEDDED_ENGINE)).toThrow(expect.objectContaining({ reason: 'offline' }))
  })
  expect(() => transcriptionEngine('elsewhere')).toThrow(expect.objectContaining({ reason: 'offline' }))
})
