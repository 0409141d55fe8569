import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatEngine, closeEngines, embeddedChatEngine } from '@/lib/services/engines/registry'
import { startUpstream } from '@/lib/services/engines/upstream/testing/fake-upstream'
import { withEnvironment } from '@/lib/services/identity/testing'
import {
  catalogue,
  discoverLocalEngines,
  isCatalogueLoaded,
  loadCatalogue,
  reloadCatalogue,
  unloadCatalogue,
} from '@/lib/services/models/catalogue'

let folder = ''
const file = () => path.join(folder, 'models.yaml')
const ids = () =>
  catalogue()
    .list('all', Date.now())
    .map(({ id }) => id)

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'models-'))
})

afterEach(async () => {
  unloadCatalogue()
  await closeEngines()
  await rm(folder, { recursive: true })
})

const text = (id: string, price: number, url = 'http://127.0.0.1:9/v1') => `
engines: { house: { kind: openai, baseUrls: ["${url}"] } }
models: [{ id: ${id}, type: text, engine: house, pricing: { input: { usd: ${price} }, output: { usd: ${price} } } }]`

const withFile = (run: () => Promise<void>) => withEnvironment({ MODELS_FILE: file(), LOG_LEVEL: 'silent' }, run)
const without = (run: () => Promise<void>, more = {}) =>
  withEnvironment({ LOCAL_ENGINES: 'off', LOG_LEVEL: 'silent', ...more }, run)

test('there is no catalogue before it is loaded', () => {
  expect(isCatalogueLoaded()).toBe(false)
  expect(() => catalogue()).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: 503 }))
})

test('without a file there are the embedded models, one of them the default', () =>
  without(async () => {
    await loadCatalogue()
    expect(ids().length).toBeGreaterThan(0)
    expect(catalogue().traits('text', Date.now()).get('default')?.engine).toBe('embedded')
    expect(chatEngine('embedded').countTokens('some text')).toBeGreaterThan(0)
  }))

test('embedded models can be off', () =>
  without(
    async () => {
      await loadCatalogue()
      expect(ids()).toEqual([])
      expect(embeddedChatEngine()).toBeUndefined()
    },
    { EMBEDDED_MODELS: 'off' },
  ))

describe('with a file', () => {
  test('there is what it says, and nothing embedded is loaded', () =>
    withFile(async () => {
      await writeFile(file(), text('atlas', 1))
      await loadCatalogue()
      expect(ids()).toEqual(['atlas'])
      expect(chatEngine('house')).toBeDefined()
      expect(embeddedChatEngine()).toBeUndefined()
      expect(() => chatEngine('embedded')).toThrow(expect.objectContaining({ reason: 'offline' }))
    }))

  test('a file that is missing or does not fit together stops the start', () =>
    withFile(async () => {
      await expect(loadCatalogue()).rejects.toThrow(/MODELS_FILE: .*models\.yaml cannot be read/)
      await writeFile(file(), text('atlas', 1).replace('engine: house', 'engine: other'))
      await expect(loadCatalogue()).rejects.toThrow(/atlas: there is no engine other/)
      expect(isCatalogueLoaded()).toBe(false)
    }))

  test('a reload takes a good file and keeps the connections of engines that stay', () =>
    withFile(async () => {
      await writeFile(file(), text('atlas', 1))
      await loadCatalogue()
      const engine = chatEngine('house')
      await writeFile(file(), text('atlas-next', 2))
      await reloadCatalogue()
      expect(ids()).toEqual(['atlas-next'])
      expect(chatEngine('house')).toBe(engine)
      await writeFile(file(), text('atlas-next', 2, 'http://127.0.0.1:10/v1'))
      await reloadCatalogue()
      expect(chatEngine('house')).not.toBe(engine)
    }))

  test.each([
    ['does not parse', 'models: ['],
    ['has a price of zero', text('atlas', 0)],
    ['has a negative price', text('atlas', -1)],
    ['has a price a thousand times the one in force', text('atlas', 900)],
    ['is empty', ''],
  ])('a reload of one that %s leaves the last good one in force', (_, bad) =>
    withFile(async () => {
      await writeFile(file(), text('atlas', 0.9))
      await loadCatalogue()
      await writeFile(file(), bad)
      await expect(reloadCatalogue()).rejects.toThrow(expect.objectContaining({ name: 'ConfigError' }))
      expect(ids()).toEqual(['atlas'])
      expect(catalogue().byId.get('atlas')?.rates?.input).toBe(900_000n)
    }),
  )
})

test('models of a local server come, stay offline when it goes, and serve again when it is back', () =>
  without(async () => {
    await loadCatalogue()
    const before = ids()
    const server = await startUpstream((request, response) => {
      const tags = { models: [{ name: 'llama3.2:3b', digest: 'abc' }] }
      response.end(JSON.stringify(request.url === '/api/tags' ? tags : { capabilities: ['completion'] }))
    })
    const places = { ollama: new URL(server.baseUrl).origin, llamacpp: 'http://127.0.0.1:9' }
    await discoverLocalEngines(places)
    expect(ids().toSorted()).toEqual([...before, 'ollama/llama3.2:3b'].toSorted())
    expect(catalogue().byId.get('ollama/llama3.2:3b')?.isOffline).toBe(false)
    const unchanged = catalogue()
    await discoverLocalEngines(places)
    expect(catalogue()).toBe(unchanged)
    await server.close()
    await discoverLocalEngines(places)
    expect(catalogue().byId.get('ollama/llama3.2:3b')?.isOffline).toBe(true)
    expect(chatEngine('ollama')).toBeDefined()
  }))
