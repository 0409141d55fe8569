import { beforeAll, describe, expect, test } from 'vitest'
import { MODEL_TYPES } from '@/lib/contract/models'
import { ModelList } from '@/lib/contract/models.schema'
import type { Caller } from '@/lib/kernel/request-context'
import { getModel, idFromPath, listAliases, listModels, listTraits } from '@/lib/services/models/list'
import { installModels, model, textModel } from '@/lib/services/models/testing/models'

const NOW = Date.UTC(2026, 10, 20)
const price = { usd: 0.01 }

beforeAll(() =>
  installModels([
    textModel({ id: 'old', created: 100, traits: ['default'], aliases: ['gpt-4'] }),
    textModel({
      id: 'new',
      created: 300,
      privacy: 'anonymized',
      traits: ['fastest'],
      pricing: { input: price, output: price },
    }),
    textModel({ id: 'org/coder:7b', created: 200, capabilities: { optimizedForCode: true }, offline: true }),
    textModel({
      id: 'gone',
      created: 400,
      traits: ['most_intelligent'],
      aliases: ['gpt-3'],
      deprecation: { date: '2026-11-01', replacement: 'new' },
    }),
    textModel({ id: 'ending', created: 50, deprecation: { startsAt: '2026-11-01', date: '2026-12-01' } }),
    model({ id: 'embed', type: 'embedding', engine: 'house', embeddingDimensions: 1024, pricing: { input: price } }),
    model({
      id: 'canvas',
      type: 'image',
      engine: 'house',
      privacy: 'anonymized',
      constraints: { promptCharacterLimit: 100, steps: { default: 1, max: 2 }, widthHeightDivisor: 8 },
      pricing: { generation: price, upscale: { '2x': price, '4x': price } },
    }),
    model({ id: 'edit', type: 'inpaint', engine: 'house', pricing: { inpaint: price } }),
    model({
      id: 'sharpen',
      type: 'upscale',
      engine: 'house',
      pricing: { generation: price, upscale: { '2x': price, '4x': price } },
    }),
    model({ id: 'speak', type: 'tts', engine: 'house', voices: ['a'], pricing: { input: price } }),
    model({ id: 'listen', type: 'asr', engine: 'house', pricing: { per_audio_second: { usd: 0.0001 } } }),
    model({
      id: 'melody',
      type: 'music',
      engine: 'house',
      pricing: { durations: { 60: { usd: 0.3, min_seconds: 1, max_seconds: 60 } } },
    }),
    model({
      id: 'reel',
      type: 'video',
      engine: 'house',
      constraints: {
        model_type: 'text-to-video',
        aspect_ratios: [],
        resolutions: [],
        durations: [],
        audio: true,
        audio_configurable: false,
      },
    }),
  ]),
)

const query = (text = '') => new URLSearchParams(text)
const list = (text = '', caller?: Caller) => listModels(query(text), caller, NOW)
const ids = (text = '', caller?: Caller) => list(text, caller).data.map(({ id }) => id)
const key = (modelPrivacy: 'ALL' | 'PRIVATE_TEXT' | 'PRIVATE_ONLY'): Caller => ({
  accountId: 'a',
  kind: 'account',
  isPro: false,
  rateMultiplier: 1,
  via: { type: 'key', keyId: 'k', keyType: 'INFERENCE', modelPrivacy },
})

describe('the list', () => {
  test('is of text models unless asked otherwise, newest first, without those that are gone', () => {
    expect(list()).toMatchObject({ object: 'list', type: 'text' })
    expect(ids()).toEqual(['new', 'org/coder:7b', 'old', 'ending'])
    expect(ids('type=code&nonsense=1')).toEqual(['org/coder:7b'])
    expect(ids('type=image')).toEqual(['canvas'])
    expect(new Set(list('type=all').data.map(({ type }) => type))).toEqual(new Set(MODEL_TYPES))
  })

  test('has records as the contract has them, of every type', () => {
    const all = list('type=all')
    expect(ModelList.parse(all)).toEqual(all)
    expect(JSON.stringify(all)).not.toContain('"diem":null')
  })

  test('says what is offline', () => {
    expect(list('type=code').data[0]).toMatchObject({ model_spec: { offline: true } })
  })

  test('leaves out what a key may not use', () => {
    expect(ids('type=all', key('PRIVATE_TEXT'))).not.toContain('new')
    expect(ids('type=all', key('PRIVATE_TEXT'))).toContain('canvas')
    expect(ids('type=all', key('PRIVATE_ONLY'))).not.toContain('canvas')
    expect(ids('type=all', key('ALL'))).toEqual(ids('type=all'))
  })

  test('refuses an unknown type with the detail', () => {
    for (const text of ['type=nonsense', 'type=', 'type=__proto__']) {
      expect(() => list(text)).toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST', issues: [expect.objectContaining({ path: ['type'] })] }),
      )
    }
    expect(() => listTraits(query('type=all'))).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })
})

test('a retired model’s trait passes to its replacement, in the records too', () => {
  expect(listTraits(query(), undefined, NOW)).toEqual({
    object: 'list',
    type: 'text',
    data: { default: 'old', fastest: 'new', most_intelligent: 'new' },
  })
  expect(list().data[0]).toMatchObject({ id: 'new', model_spec: { traits: ['fastest', 'most_intelligent'] } })
  const before = Date.UTC(2026, 9, 1)
  expect(listTraits(query(), undefined, before).data.most_intelligent).toBe('gone')
})

test('foreign ids of models that are there', () => {
  expect(listAliases(query(), undefined, NOW).data).toEqual({ 'gpt-4': 'old' })
  expect(listAliases(query('type=embedding'), undefined, NOW).data).toEqual({ 'text-embedding-ada-002': 'embed' })
  expect(listAliases(query('type=video'), undefined, NOW).data).toEqual({})
})

describe('one model', () => {
  test('is found by its id, slashes and colons included', () => {
    expect(getModel(idFromPath(['org', 'coder:7b']), undefined, NOW)).toMatchObject({
      id: 'org/coder:7b',
      object: 'model',
    })
    expect(getModel(idFromPath(['org', 'coder%3A7b']), undefined, NOW)).toMatchObject({ id: 'org/coder:7b' })
  })

  test.each([
    ['unknown', ['nope']],
    ['gone', ['gone']],
    ['not decodable', ['%E0%A4%A']],
    ['hostile', ['a\r\nb']],
  ])('%s is 404', (_, path) => {
    expect(() => getModel(idFromPath(path), undefined, NOW)).toThrow(
      expect.objectContaining({ code: 'MODEL_NOT_FOUND' }),
    )
  })

  test('that a key may not use is 404 for it', () => {
    expect(() => getModel('new', key('PRIVATE_ONLY'), NOW)).toThrow(
      expect.objectContaining({ code: 'MODEL_NOT_FOUND' }),
    )
  })
})
