import { describe, expect, test } from 'vitest'
import { isBusy, noteFull, noteServing } from '@/components/chat/models/capacity'
import { countOf, modelSections, NO_FILTER } from '@/components/chat/models/model-filter'
import { modelCards } from '@/lib/browser/models'

const record = (id: string, spec: object = {}) => ({ id, object: 'model', model_spec: { name: id, ...spec } })
const MODELS = modelCards({
  data: [
    record('atlas', {
      privacy: 'private',
      availableContextTokens: 131_072,
      capabilities: { supportsVision: true, supportsVideoInput: true },
      pricing: { input: { usd: 1 }, output: { usd: 4 } },
    }),
    record('mini', { availableContextTokens: 8_192, pricing: { input: { usd: 0.1 }, output: { usd: 0.2 } } }),
    record('free', { availableContextTokens: 32_768, capabilities: { supportsVision: true } }),
    record('old', { availableContextTokens: 1_000_000, pricing: { input: { usd: 9 }, output: { usd: 9 } } }),
  ],
})
const NOTHING = { search: '', filter: NO_FILTER, favourites: [] as string[], recent: [] as string[] }
const listed = (listing: Partial<typeof NOTHING>) =>
  modelSections(MODELS, { ...NOTHING, ...listing }).map(({ title, models }) => [title, models.map(({ id }) => id)])

describe('the list of models', () => {
  test('has no groups while nothing is liked and nothing was used', () => {
    expect(listed({})).toEqual([[undefined, ['atlas', 'mini', 'free', 'old']]])
  })

  test('has stars on top, then what was used last, then the rest, each model once', () => {
    expect(listed({ favourites: ['old', 'gone'], recent: ['mini', 'old', 'gone', 'free'] })).toEqual([
      ['Favourites', ['old']],
      ['Recent', ['mini', 'free']],
      ['All others', ['atlas']],
    ])
  })

  test('names at most five that were used last, and others take the place of those with a star', () => {
    const many = modelCards({ data: Array.from({ length: 9 }, (_, at) => record(`m${at}`)) })
    const recent = many.map(({ id }) => id)
    const [, used] = modelSections(many, { ...NOTHING, favourites: ['m0'], recent })
    expect(used?.models.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
  })

  test('is one list while it is searched, and empty when nothing fits', () => {
    expect(listed({ search: 'vision', favourites: ['free'] })).toEqual([[undefined, ['atlas', 'free']]])
    expect(listed({ search: 'whale' })).toEqual([])
  })

  test('is narrowed by what a model can do, keeps, costs and holds', () => {
    const narrowed = (filter: object) => listed({ filter: { ...NO_FILTER, ...filter } }).flatMap(([, ids]) => ids)
    expect(narrowed({ badges: ['vision'] })).toEqual(['atlas', 'free'])
    expect(narrowed({ badges: ['vision', 'video'] })).toEqual(['atlas'])
    expect(narrowed({ isPrivate: true })).toEqual(['atlas'])
    expect(narrowed({ maxPrice: 1 })).toEqual(['mini', 'free'])
    expect(narrowed({ minContext: 131_072 })).toEqual(['atlas', 'old'])
    expect(countOf({ badges: ['vision', 'code'], isPrivate: true, maxPrice: 1 })).toBe(4)
  })
})

test('a model that was full is called so for five minutes, or until it answers', () => {
  noteFull('atlas')
  const now = performance.now()
  expect(isBusy('atlas', now + 299_000)).toBe(true)
  expect(isBusy('atlas', now + 301_000)).toBe(false)
  expect(isBusy('mini', now)).toBe(false)
  noteServing('atlas')
  expect(isBusy('atlas', now)).toBe(false)
})
