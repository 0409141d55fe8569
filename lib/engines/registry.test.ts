import { afterEach, expect, test } from 'vitest'
import { chatEngine, closeEngines, installEngines } from '@/lib/engines/registry'
import { chunk, collect, DONE, request, startUpstream, textOf } from '@/lib/engines/upstream/testing/fake-upstream'

afterEach(closeEngines)

const NONE = new Set<string>()

test('an engine that a reload drops ends what it began', async () => {
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200).write(chunk({ content: 'Hel' }))
    setTimeout(() => response.end(chunk({ content: 'lo' }, 'stop') + DONE), 150)
  })
  const options = { kind: 'openai', baseUrls: [upstream.baseUrl] }
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
