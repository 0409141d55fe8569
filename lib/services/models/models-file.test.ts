import { beforeAll, describe, expect, test } from 'vitest'
import { ModelRecord } from '@/lib/contract/models.schema'
import { perMillion } from '@/lib/contract/money'
import { faultsOf } from '@/lib/services/models/catalogue'
import { modelOf } from '@/lib/services/models/model'
import { parseModels, privacyOf } from '@/lib/services/models/models-file'

/** The example of the operator's documentation. */
const EXAMPLE = `
engines:
  house:                        # any OpenAI-compatible server: vLLM, Ollama, llama.cpp, LM Studio, a hosted provider
    kind: openai
    baseUrls: [http://10.0.0.5:8000/v1, http://10.0.0.6:8000/v1]   # several: balanced, failed over, sticky
    apiKeyEnv: HOUSE_KEY_OF_TEST
    timeouts: { connectMs: 5000, firstTokenMs: 60000, idleMs: 30000 }
    maxInFlight: 64
models:
  - id: atlas-large
    name: Atlas Large
    type: text
    engine: house
    upstreamModel: meta-llama/Llama-4-70B
    contextTokens: 131072
    maxCompletionTokens: 16384
    capabilities: { supportsVision: true, supportsFunctionCalling: true, supportsReasoning: false }
    pricing: { input: { usd: 0.40 }, output: { usd: 1.20 }, cache_input: { usd: 0.10 } }
    tier: M
    access: everyone
    traits: [default]
    aliases: [gpt-4o]
    fallbacks: [atlas-small]
    deprecation: { date: 2027-01-31, replacement: atlas-next, autoRemap: true }
  - { id: atlas-small, type: text, engine: house }
  - { id: atlas-next, type: text, engine: house }
`

beforeAll(() => {
  process.env.HOUSE_KEY_OF_TEST = 'key-of-the-house'
})

const one = (fields: string, engine = '') =>
  `engines: { house: { kind: openai, baseUrls: ["http://127.0.0.1:1/v1"]${engine} } }\nmodels:\n  - { id: m, engine: house, type: text, ${fields} }`

const modelsOf = (text: string) => parseModels(text, 'f').entries.map((entry) => modelOf(entry, { privacy: 'private' }))

test('reads the documented example', () => {
  const { engines, entries } = parseModels(EXAMPLE, 'models.yaml')
  expect(engines.house).toEqual({
    kind: 'openai',
    baseUrls: ['http://10.0.0.5:8000/v1', 'http://10.0.0.6:8000/v1'],
    apiKey: 'key-of-the-house',
    timeouts: { connectMs: 5000, firstTokenMs: 60000, idleMs: 30000 },
    maxInFlight: 64,
  })
  const [large] = entries.map((entry) => modelOf(entry, { privacy: privacyOf(engines[entry.engine]) }))
  expect(large).toMatchObject({
    upstreamModel: 'meta-llama/Llama-4-70B',
    privacy: 'private',
    rates: { input: perMillion(0.4), output: perMillion(1.2), cacheInput: perMillion(0.1), cacheWrite: undefined },
    deprecation: { removesAt: new Date('2027-01-31T00:00:00Z'), replacementModelId: 'atlas-next', autoRemap: true },
  })
  expect(ModelRecord.parse(large?.record)).toEqual(large?.record)
  expect(large?.record).toMatchObject({
    object: 'model',
    owned_by: 'service',
    context_length: 131072,
    model_spec: {
      pricing: {
        input: { usd: 0.4, diem: 0.4 },
        output: { usd: 1.2, diem: 1.2 },
        cache_input: { usd: 0.1, diem: 0.1 },
      },
      deprecation: {
        date: '2027-01-31T00:00:00.000Z',
        removesAt: '2027-01-31T00:00:00.000Z',
        autoRemap: true,
        replacementModelId: 'atlas-next',
      },
    },
  })
})

test('an engine of a vendor’s own form needs no base URL, and one of the common form does', () => {
  const fileOf = (engine: string, type = 'text') =>
    `engines: { house: { ${engine} } }\nmodels: [{ id: m, engine: house, type: ${type} }]`
  expect(parseModels(fileOf('kind: anthropic, apiKeyEnv: HOUSE_KEY_OF_TEST'), 'f').engines.house).toEqual({
    kind: 'anthropic',
    baseUrls: ['https://api.anthropic.com/v1'],
    apiKey: 'key-of-the-house',
  })
  expect(parseModels(fileOf('kind: google'), 'f').engines.house?.baseUrls).toEqual([
    'https://generativelanguage.googleapis.com/v1beta',
  ])
  expect(parseModels(fileOf('kind: google, baseUrls: ["http://10.0.0.5"]'), 'f').engines.house?.baseUrls).toEqual([
    'http://10.0.0.5',
  ])
  expect(() => parseModels(fileOf('kind: openai'), 'f')).toThrow(/engines.house.baseUrls: is missing/)
  expect(() => parseModels(fileOf('kind: mistral'), 'f')).toThrow(/engines.house.kind: must be one of openai/)
  expect(() => parseModels(fileOf('kind: anthropic, imageStyle: webui'), 'f')).toThrow(/imageStyle: is of kind openai/)
  expect(() => parseModels(fileOf('kind: google', 'image'), 'f')).toThrow(/models.m.engine: an engine of kind google/)
})

test('reads JSON as well', () => {
  expect(
    parseModels(JSON.stringify({ models: [{ id: 'm', type: 'text', engine: 'embedded' }] }), 'f').entries,
  ).toHaveLength(1)
})

test('a model without pricing is free, and every required capability is told', () => {
  const [model] = modelsOf(one('contextTokens: 1000'))
  expect(model).toMatchObject({
    rates: undefined,
    contextTokens: 1000,
    maxCompletionTokens: 500,
    upstreamModel: 'm',
    name: 'm',
  })
  const record = ModelRecord.parse(model?.record)
  expect(record).toEqual(model?.record)
  expect(record.model_spec).not.toHaveProperty('pricing')
  const flags = record.type === 'text' ? Object.entries(record.model_spec.capabilities) : []
  expect(flags.filter(([, value]) => typeof value === 'boolean')).toHaveLength(14)
  // The service searches for every model; nothing else is taken for granted.
  expect(flags.filter(([, value]) => value === true)).toEqual([['supportsWebSearch', true]])
})

test('what one capability says of another is derived', () => {
  const [model] = modelsOf(
    one('capabilities: { supportsResponseSchema: true, reasoningEffortOptions: [low, high], maxImages: 4 }'),
  )
  expect(model?.capabilities).toMatchObject({
    supportsFunctionCalling: true,
    supportsReasoningEffort: true,
    supportsReasoning: true,
    supportsVision: true,
    supportsMultipleImages: true,
  })
})

test('what a server elsewhere keeps is not promised', () => {
  const privacy = (url: string) => privacyOf({ kind: 'openai', baseUrls: ['http://127.0.0.1/v1', url] })
  expect(privacy('https://api.example.com/v1')).toBe('anonymized')
  expect(privacy('http://8.8.8.8/v1')).toBe('anonymized')
  expect(privacy('http://[fd00::1]:8000/v1')).toBe('private')
  expect(privacy('http://vllm:8000/v1')).toBe('private')
  expect(privacy('http://gpu.internal/v1')).toBe('private')
})

describe('is refused, with its place', () => {
  const price = (value: string) => one(`pricing: { input: { usd: ${value} }, output: { usd: 1 } }`)
  test.each([
    ['a price of zero', price('0'), 'models.0.pricing.input.usd (m): must be more than 0'],
    ['a negative price', price('-1'), 'models.0.pricing.input.usd (m): must be more than 0'],
    ['a price that is text', price('"1"'), 'models.0.pricing.input.usd (m): must be a number'],
    ['a price that is no number', price('.nan'), 'models.0.pricing.input.usd (m): must be a number'],
    ['a price without end', price('.inf'), 'models.0.pricing.input.usd (m): must be a number'],
    ['a price a thousand times too high', price('1200'), 'models.0.pricing.input.usd (m): is more than 1000 USD'],
    ['a price finer than money', price('0.0000001'), 'models.0.pricing.input.usd (m): is finer'],
    ['a missing price', one('pricing: { input: { usd: 1 } }'), 'models.0.pricing.output (m)'],
    ['a price that is not given', one('pricing: { input: {}, output: { usd: 1 } }'), 'models.0.pricing.input.usd (m)'],
    [
      'another price in DIEM',
      one('pricing: { input: { usd: 1, diem: 2 }, output: { usd: 1 } }'),
      'models.0.pricing.input.diem (m)',
    ],
    ['an unknown field', one('colour: red'), 'colour'],
    ['an unknown type', one('').replace('type: text', 'type: txt'), 'models.0.type (m): must be one of text'],
    ['an id with line ends', one('').replace('id: m', 'id: "m\\r\\nx"'), 'models.0.id'],
    ['an id that looks like a suffix', one('').replace('id: m', 'id: "m:a=b"'), 'models.0.id'],
    ['a date of no calendar', one('deprecation: { date: 2027-02-31T99:00:00Z }'), 'models.0.deprecation.date (m)'],
    [
      'a remap to nothing',
      one('deprecation: { date: 2027-02-01, autoRemap: true }'),
      'models.0.deprecation.replacement (m)',
    ],
    ['a key in the file', one('', ', apiKey: sk-123'), 'apiKey'],
    ['a key in the address', one('').replace('http://', 'http://user:pass@'), 'engines.house.baseUrls.0'],
    [
      'a variable that is not set',
      one('', ', apiKeyEnv: NO_SUCH_VARIABLE'),
      'engines.house.apiKeyEnv: the variable NO_SUCH_VARIABLE is not set',
    ],
    ['another protocol', one('').replace('http://', 'file://'), 'engines.house.baseUrls.0'],
    ['an unknown kind', one('').replace('openai', 'magic'), 'engines.house.kind'],
    ['no models', 'models: []', 'models: names no model'],
    ['an empty file', '', 'the file'],
    ['neither YAML nor JSON', 'models: [', 'is neither YAML nor JSON (line 1)'],
    ['a key given twice', 'models: []\nmodels: []', 'is neither YAML nor JSON (line 2)'],
  ])('%s', (_, text, place) => {
    expect(() => parseModels(text, '/etc/models.yaml')).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(place) }),
    )
    expect(() => parseModels(text, '/etc/models.yaml')).toThrow(/^\/etc\/models\.yaml:/)
  })
})

describe('models that do not fit together are refused', () => {
  const faults = (lines: string, engines = ['house']) =>
    faultsOf(
      modelsOf(
        `models:\n${lines
          .trim()
          .split('\n')
          .map((line) => `  - { type: text, engine: house, ${line} }`)
          .join('\n')}`,
      ),
      new Set(engines),
    )

  test.each([
    ['two of one id', 'id: a\nid: a', 'a: two models have this id'],
    ['an engine that is not there', 'id: a', 'a: there is no engine house', 'elsewhere'],
    ['one trait for two', 'id: a, traits: [fastest]\nid: b, traits: [fastest]', 'b: fastest is already a name of a'],
    ['an alias that is an id', 'id: a\nid: b, aliases: [a]', 'b: a is already a name of a'],
    ['a fallback that is not there', 'id: a, fallbacks: [b]', 'a: there is no model b'],
    ['a replacement by itself', 'id: a, deprecation: { date: 2027-01-01, replacement: a }', 'a: refers to itself'],
    [
      'a default effort that is no option',
      'id: a, capabilities: { reasoningEffortOptions: [low], defaultReasoningEffort: high }',
      'a: defaultReasoningEffort is not among',
    ],
    [
      'an answer longer than the context',
      'id: a, contextTokens: 10, maxCompletionTokens: 20',
      'a: maxCompletionTokens is more',
    ],
  ])('%s', (_, lines, fault, engine = 'house') => {
    expect(faults(lines, [engine])).toEqual(expect.arrayContaining([expect.stringContaining(fault)]))
  })

  test('and others are not', () => {
    expect(faults('id: a, traits: [default], aliases: [gpt-4o], fallbacks: [b]\nid: b')).toEqual([])
  })
})
