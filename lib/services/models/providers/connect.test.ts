import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { closeEngines, engineOptions } from '@/lib/services/engines/registry'
import { setEnvironment, withEnvironment } from '@/lib/services/identity/testing'
import {
  catalogue,
  followConnected,
  loadCatalogue,
  reloadConnected,
  unloadCatalogue,
} from '@/lib/services/models/catalogue'
import {
  changeProvider,
  connectProvider,
  listProviders,
  removeProvider,
  targetOfProvider,
} from '@/lib/services/models/providers/connect'
import { readProviders, type StoredModel } from '@/lib/services/models/providers/store'
import { resolveModel } from '@/lib/services/models/resolve'

const database = await testDatabase()
setEnvironment({ EMBEDDED_MODELS: 'off', LOCAL_ENGINES: 'off' })

const KEY = 'sk-proj-0123456789abcdef'
const model = (changes: Partial<StoredModel> = {}): StoredModel => ({
  upstreamModel: 'gpt-5.2',
  type: 'text',
  contextTokens: 400_000,
  maxCompletionTokens: 128_000,
  capabilities: { supportsFunctionCalling: true, supportsVision: true },
  cost: { input: 1.75, output: 14 },
  prices: { input: 2.1, output: 16.8, cacheInput: 0.21 },
  ...changes,
})
const openai = { preset: 'openai', key: KEY, models: [model()], marginPercent: 20 }

beforeEach(async () => {
  await database.query('delete from provider')
  unloadCatalogue()
  await loadCatalogue()
  await followConnected()
})
afterEach(async () => {
  unloadCatalogue()
  await closeEngines()
})

test('a connected model is in the catalogue at once, with its prices to the digit', async () => {
  const shown = await connectProvider(openai)
  expect(shown).toMatchObject({
    name: 'openai',
    address: 'https://api.openai.com/v1',
    keyLast4: 'cdef',
    isPaused: false,
    models: [{ id: 'openai/gpt-5.2', state: 'live', prices: { input: 2.1, output: 16.8, cacheInput: 0.21 } }],
  })
  const found = catalogue().byId.get('openai/gpt-5.2')!
  expect(found.rates).toMatchObject({ input: 2_100_000n, output: 16_800_000n, cacheInput: 210_000n })
  expect(found).toMatchObject({ contextTokens: 400_000, maxCompletionTokens: 128_000, privacy: 'anonymized' })
  expect(engineOptions(found.engine)).toMatchObject({ apiKey: KEY, baseUrls: ['https://api.openai.com/v1'] })
  expect(resolveModel('gpt-5.2', { type: 'text' }).id).toBe('openai/gpt-5.2')
})

test('speech and transcription are priced by character and by second', async () => {
  const models = [
    { upstreamModel: 'gpt-4o-mini-tts', type: 'tts' as const, prices: { input: 18 } },
    { upstreamModel: 'whisper-1', type: 'asr' as const, prices: { second: 0.0002 } },
  ]
  await connectProvider({ ...openai, models })
  const speech = catalogue().byId.get('openai/gpt-4o-mini-tts')!
  expect(speech).toMatchObject({ type: 'tts', inputRate: 18_000_000n, speech: { takesForeignVoices: true } })
  expect(speech.speech!.voices).toContain('alloy')
  expect(catalogue().byId.get('openai/whisper-1')).toMatchObject({ type: 'asr', secondRate: 200_000_000n })
})

test('the key is encrypted in the database, and shown nowhere', async () => {
  const shown = await connectProvider(openai)
  const [row] = await database.query<{ text: string; key: Uint8Array }>(
    'select to_json(p)::text as text, key from provider p',
  )
  for (const text of [
    row!.text,
    Buffer.from(row!.key).toString('latin1'),
    JSON.stringify(shown),
    JSON.stringify(await listProviders()),
  ]) {
    expect(text).not.toContain(KEY.slice(0, 12))
  }
  expect((await readProviders())[0]!.key).toBe(KEY)
})

test('a key that was copied to another provider’s row cannot be read, and its models are offline', async () => {
  await connectProvider(openai)
  await connectProvider({
    ...openai,
    name: 'thief',
    address: 'https://thief.example/v1',
    preset: undefined,
    key: 'sk-other-key-123',
  })
  await database.query(
    `update provider set key = (select key from provider where name = 'openai') where name = 'thief'`,
  )
  await reloadConnected()
  expect(catalogue().byId.get('thief/gpt-5.2')!.isOffline).toBe(true)
  expect(engineOptions('provider:thief')?.apiKey).toBeUndefined()
  expect((await listProviders())[1]).toMatchObject({ name: 'thief', isBroken: true })
  expect(catalogue().byId.get('openai/gpt-5.2')!.isOffline).toBe(false)
  await expect(targetOfProvider('openai', 'sk-new-0123')).resolves.toMatchObject({ key: 'sk-new-0123' })
  await changeProvider('thief', { key: 'sk-other-key-456' })
  expect(catalogue().byId.get('thief/gpt-5.2')!.isOffline).toBe(false)
})

test('prices, pause and key change without a restart, and a removed provider is gone', async () => {
  await connectProvider(openai)
  await changeProvider('openai', { models: [model({ prices: { input: 3, output: 20 } })] })
  expect(catalogue().byId.get('openai/gpt-5.2')!.rates).toMatchObject({ input: 3_000_000n, output: 20_000_000n })
  await changeProvider('openai', { isPaused: true })
  expect(() => resolveModel('openai/gpt-5.2', { type: 'text' })).toThrow(
    expect.objectContaining({ code: 'MODEL_OFFLINE' }),
  )
  await changeProvider('openai', { isPaused: false, key: 'sk-rotated-0123wxyz' })
  expect((await listProviders())[0]).toMatchObject({ isPaused: false, keyLast4: 'wxyz' })
  expect(engineOptions('provider:openai')?.apiKey).toBe('sk-rotated-0123wxyz')
  await removeProvider('openai')
  expect(catalogue().byId.has('openai/gpt-5.2')).toBe(false)
  expect(await database.query('select 1 from provider')).toEqual([])
  await expect(removeProvider('openai')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(changeProvider('openai', { isPaused: true })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a free model has no prices, and an image model one for each image', async () => {
  const image: StoredModel = { upstreamModel: 'sdxl.safetensors', type: 'image', prices: { image: 0.02 } }
  await connectProvider({ preset: 'comfyui', models: [image], marginPercent: 0 })
  await connectProvider({
    preset: 'ollama',
    models: [model({ upstreamModel: 'qwen3:8b', prices: null })],
    marginPercent: 0,
  })
  expect(catalogue().byId.get('ollama/qwen3:8b')!.rates).toBeUndefined()
  expect(catalogue().byId.get('comfyui/sdxl.safetensors')!.image!.prices).toMatchObject({ base: 20_000_000_000n })
})

test('a model that is served from a file is named by the file', async () => {
  const served = ['/srv/models/Qwen3 8B.gguf', 'C:\\models\\Phi-4.GGUF']
  const models = served.map((upstreamModel) => model({ upstreamModel, prices: null }))
  await connectProvider({ preset: 'llama-cpp', models, marginPercent: 0 })
  expect(catalogue().byId.get('llama-cpp/Qwen3-8B')).toMatchObject({ name: 'Qwen3 8B' })
  expect(catalogue().byId.get('llama-cpp/Phi-4')).toMatchObject({ name: 'Phi-4' })
})

test.each<[string, Partial<StoredModel>, string]>([
  ['no price', { prices: {} }, 'is missing. Enter it, or make the model free.'],
  ['a price of zero', { prices: { input: 0, output: 0 } }, 'is 0. Enter a price above 0, or make the model free.'],
  ['a free half', { prices: { input: 1, output: 0 } }, 'the price of output tokens is 0.'],
  ['a million', { prices: { input: 1_000_000, output: 1 } }, 'is above 1000 USD. Enter dollars per million tokens.'],
  ['a price that is too fine', { prices: { input: 0.00000001, output: 1 } }, 'finer than money is counted'],
  ['no price of an image', { type: 'image', prices: { input: 1 } }, 'the price of an image is missing.'],
  [
    'a transcription without its price',
    { upstreamModel: 'whisper-1', type: 'asr' as const, prices: { input: 1 } },
    'the price of a second of audio is missing',
  ],
])('%s is refused with a sentence', async (_, changes, sentence) => {
  const refused = connectProvider({ ...openai, models: [model(changes)] })
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(sentence) })
  expect(await listProviders()).toEqual([])
})

test.each([
  ['a key with blanks', { key: 'sk one' }, 'The key contains spaces'],
  ['no models', { models: [] }, 'Choose at least one model.'],
  ['a name that is none', { name: 'My provider' }, 'a name has lower-case letters'],
  ['a reserved name', { name: 'found' }, 'a name has lower-case letters'],
])('%s is refused', async (_, changes, sentence) => {
  await expect(connectProvider({ ...openai, ...changes })).rejects.toMatchObject({
    message: expect.stringContaining(sentence),
  })
})

test('a second connection of one vendor gets a name of its own, and leaves the short names to the first', async () => {
  await connectProvider(openai)
  expect(await connectProvider(openai)).toMatchObject({
    name: 'openai-2',
    models: [{ id: 'openai-2/gpt-5.2', state: 'live' }],
  })
  expect(resolveModel('gpt-5.2', { type: 'text' }).id).toBe('openai/gpt-5.2')
  await expect(connectProvider({ ...openai, name: 'openai' })).rejects.toMatchObject({
    message: expect.stringContaining('named openai already'),
  })
})

test('a provider without a preset is named by its host, and one without a name is a server', async () => {
  const own = (address: string) => connectProvider({ ...openai, preset: undefined, address })
  expect((await own('https://api.models.example.com/v1')).name).toBe('models-example-com')
  expect((await own('http://192.168.0.7:8000/v1')).name).toBe('server')
  expect((await own('http://[::1]:8000/v1')).name).toBe('server-2')
})

test('test credit buys from no provider that may cost money, unless its operator allows it', async () => {
  await withEnvironment({ SANDBOX: 'on', EMBEDDED_MODELS: 'off', LOCAL_ENGINES: 'off' }, async () => {
    expect(await connectProvider(openai)).toMatchObject({ refusesTestCredit: true, acceptsTestCredit: false })
    expect(catalogue().byId.get('openai/gpt-5.2')!.refusesTestCredit).toBe(true)
    expect(await changeProvider('openai', { acceptsTestCredit: true })).toMatchObject({ refusesTestCredit: false })
    expect(catalogue().byId.get('openai/gpt-5.2')!.refusesTestCredit).toBe(false)
    await connectProvider({
      preset: 'ollama',
      models: [model({ upstreamModel: 'qwen3', prices: null })],
      marginPercent: 0,
    })
    expect(catalogue().byId.get('ollama/qwen3')!.refusesTestCredit).toBe(false)
  })
})
