import { beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Facts } from '@/lib/kernel/request-context'
import { ModelEntry } from '@/lib/services/models/entry'
import { modelOf } from '@/lib/services/models/model'
import { fallbacksOf, type ResolveOptions, resolveModel } from '@/lib/services/models/resolve'
import { installModels, model, textModel } from '@/lib/services/models/testing/models'

const NOW = Date.UTC(2026, 10, 20)
const PRICED = { input: { usd: 1 }, output: { usd: 2 } }

beforeAll(() =>
  installModels([
    textModel({
      id: 'atlas-large',
      name: 'Atlas Large',
      traits: ['default', 'most_intelligent'],
      aliases: ['gpt-4o'],
      fallbacks: ['pro-only', 'away', 'gone', 'atlas-mini'],
      created: 300,
    }),
    textModel({ id: 'atlas-mini', created: 200, pricing: PRICED }),
    textModel({ id: 'ollama/llama3.2:3b', created: 100 }),
    textModel({ id: 'pro-only', access: 'pro' }),
    textModel({ id: 'away', offline: true }),
    textModel({ id: 'local-only', regionRestrictions: ['US', 'CA'] }),
    modelOf(ModelEntry.parse({ type: 'text', id: 'costly', engine: 'house' }), {
      privacy: 'private',
      refusesTestCredit: true,
    }),
    textModel({ id: 'falls-back', fallbacks: ['costly'] }),
    textModel({ id: 'shared', privacy: 'anonymized' }),
    textModel({
      id: 'ending',
      deprecation: { startsAt: '2026-11-01', date: '2026-12-01', replacement: 'atlas-mini', autoRemap: true },
    }),
    textModel({ id: 'ending-later', deprecation: { startsAt: '2026-12-01', date: '2027-01-01' } }),
    textModel({
      id: 'remapped',
      traits: ['fastest'],
      aliases: ['old'],
      deprecation: { date: '2026-11-01', replacement: 'remapped-too', autoRemap: true },
    }),
    textModel({ id: 'remapped-too', deprecation: { date: '2026-11-10', replacement: 'atlas-mini', autoRemap: true } }),
    textModel({ id: 'gone', traits: ['default_code'], deprecation: { date: '2026-11-01', replacement: 'atlas-mini' } }),
    textModel({ id: 'gone-for-good', traits: ['default_vision'], deprecation: { date: '2026-11-01' } }),
    model({ id: 'embed-base', type: 'embedding', engine: 'house' }),
    model({ id: 'canvas', type: 'image', engine: 'house', privacy: 'anonymized' }),
  ]),
)

const caller = (more: Partial<Caller> = {}, modelPrivacy: 'ALL' | 'PRIVATE_TEXT' | 'PRIVATE_ONLY' = 'ALL'): Caller => ({
  accountId: 'a',
  kind: 'account',
  isPro: false,
  rateMultiplier: 1,
  via: { type: 'key', keyId: 'k', keyType: 'INFERENCE', modelPrivacy },
  ...more,
})

const resolve = (name: string, more: Partial<ResolveOptions> = {}) =>
  resolveModel(name, { type: 'text', caller: caller(), now: NOW, ...more })

test('a model that refuses test credit serves accounts, and nobody who has that only', () => {
  expect(resolve('costly').id).toBe('costly')
  const guest = caller({ kind: 'guest', via: { type: 'session', sessionId: 's' } })
  for (const one of [guest, caller({ kind: 'guest' }), caller({ kind: 'wallet', via: { type: 'payment' } })]) {
    expect(() => resolve('costly', { caller: one })).toThrow(
      expect.objectContaining({ code: 'UNAUTHORIZED', message: expect.stringContaining('test credit') }),
    )
    expect(fallbacksOf(resolve('falls-back'), one)).toEqual([])
  }
  expect(fallbacksOf(resolve('falls-back'), caller())).toHaveLength(1)
})

describe('a name is', () => {
  test.each([
    ['an id', 'atlas-mini', 'atlas-mini'],
    ['an id with a colon', 'ollama/llama3.2:3b', 'ollama/llama3.2:3b'],
    ['a trait', 'most_intelligent', 'atlas-large'],
    ['a foreign id', 'gpt-4o', 'atlas-large'],
    ['a retired id with a remap, twice', 'remapped', 'atlas-mini'],
    ['a foreign id of a retired model', 'old', 'atlas-mini'],
    ['a trait of a retired model: its replacement', 'fastest', 'atlas-mini'],
    ['a trait of a retired model without remap: its replacement too', 'default_code', 'atlas-mini'],
    [
      'a trait of a model that is gone for good: the newest that all may use',
      'default_vision',
      expect.not.stringMatching(/pro-only|away|local-only|gone/),
    ],
  ])('%s', (_, name, id) => {
    expect(resolve(name).id).toEqual(id)
  })

  test('a trait of its own type only', () => {
    expect(resolve('default', { type: 'embedding' }).id).toBe('embed-base')
    expect(resolve('text-embedding-ada-002', { type: 'embedding' }).id).toBe('embed-base')
    expect(() => resolve('text-embedding-ada-002')).toThrow(expect.objectContaining({ code: 'MODEL_NOT_FOUND' }))
  })
})

describe('what stands in the way is said', () => {
  test.each<[string, string, string, number, Partial<ResolveOptions>?]>([
    ['unknown', 'nope', 'MODEL_NOT_FOUND', 404],
    ['unknown, though an object has it', 'constructor', 'MODEL_NOT_FOUND', 404],
    ['empty', '', 'MODEL_NOT_FOUND', 404],
    ['another type', 'embed-base', 'INVALID_MODEL', 400],
    ['retired', 'gone', 'MODEL_RETIRED', 410],
    ['retired for good', 'gone-for-good', 'MODEL_RETIRED', 410],
    ['Pro only', 'pro-only', 'PRO_ONLY_MODEL', 401],
    ['not in an unknown region', 'local-only', 'REGION_RESTRICTED', 403],
    ['not in this region', 'local-only', 'REGION_RESTRICTED', 403, { region: 'DE' }],
    ['not private', 'shared', 'MODEL_PRIVACY_RESTRICTED', 403, { caller: caller({}, 'PRIVATE_TEXT') }],
    [
      'not private, of any type',
      'canvas',
      'MODEL_PRIVACY_RESTRICTED',
      403,
      { type: 'image', caller: caller({}, 'PRIVATE_ONLY') },
    ],
    ['offline', 'away', 'MODEL_OFFLINE', 503],
  ])('%s', (_, name, code, status, more) => {
    expect(() => resolve(name, more)).toThrow(expect.objectContaining({ code, status }))
  })

  test('a retired model names its replacement', () => {
    expect(() => resolve('gone')).toThrow(/gone was retired on 2026-11-01\. Use atlas-mini instead\./)
  })

  test.each([
    ['100 KB', 'x'.repeat(100_000)],
    ['line ends', 'a\r\nSet-Cookie: x=1'],
    ['emoji and direction marks', '🦄\u202E\u0000"quoted"\\'],
  ])('a hostile name is shown short and plain: %s', (_, name) => {
    const error: Error = (() => {
      try {
        resolve(name)
      } catch (thrown) {
        return thrown as Error
      }
      throw new Error('must throw')
    })()
    expect(error.message.length).toBeLessThan(700)
    expect(error.message).toMatch(/^[\x20-\x7e…]*$/)
    expect(JSON.stringify(error.message)).not.toMatch(/\\[rnu]0/)
  })
})

describe('what is allowed', () => {
  test.each<[string, string, Partial<ResolveOptions>]>([
    ['a Pro account, a Pro model', 'pro-only', { caller: caller({ isPro: true }) }],
    ['a wallet, a Pro model', 'pro-only', { caller: caller({ kind: 'wallet', via: { type: 'sign-in' } }) }],
    ['a caller in the region', 'local-only', { region: 'CA' }],
    ['a key for private text, a private model', 'atlas-mini', { caller: caller({}, 'PRIVATE_ONLY') }],
    [
      'a key for private text, an image model that is not',
      'canvas',
      { type: 'image', caller: caller({}, 'PRIVATE_TEXT') },
    ],
  ])('%s', (_, name, more) => {
    expect(resolve(name, more).id).toBe(name)
  })

  test('fallbacks leave out what cannot serve this caller', () => {
    expect(fallbacksOf(resolve('atlas-large'), caller(), NOW).map(({ id }) => id)).toEqual(['atlas-mini'])
    const pro = caller({ isPro: true })
    expect(fallbacksOf(resolve('atlas-large'), pro, NOW).map(({ id }) => id)).toEqual(['pro-only', 'atlas-mini'])
  })
})

describe('facts for headers', () => {
  const factsOf = (name: string, now = NOW) => {
    const facts: Facts = {}
    resolve(name, { context: { facts }, now })
    return facts
  }

  test('an ordinary model', () => {
    expect(factsOf('gpt-4o')).toEqual({ modelId: 'atlas-large', modelName: 'Atlas Large' })
  })

  test('a model that will be retired', () => {
    expect(factsOf('ending').deprecation).toEqual({
      date: '2026-12-01T00:00:00.000Z',
      warning: 'ending will be retired on 2026-12-01; atlas-mini will serve in its place',
    })
    expect(factsOf('ending', Date.UTC(2026, 9, 31)).deprecation).toBeUndefined()
    expect(factsOf('ending-later').deprecation).toBeUndefined()
  })

  test('the last moment of notice and the first after it', () => {
    const removesAt = Date.UTC(2026, 11, 1)
    expect(factsOf('ending', removesAt - 1).modelId).toBe('ending')
    expect(factsOf('ending', removesAt)).toEqual({
      modelId: 'atlas-mini',
      modelName: 'atlas-mini',
      replacementId: 'atlas-mini',
    })
  })
})

test('a default that is not there is told of as such: the caller may not have named it', () => {
  expect(() => resolveModel('default', { type: 'upscale' })).toThrow(
    'No upscale model is configured on this server. GET /models?type=all lists its models.',
  )
})
