import { expect, test } from 'vitest'
import { perUnit } from '@/lib/contract/money'
import { embeddedModels } from '@/lib/services/models/embedded-models'
import { ModelEntry } from '@/lib/services/models/entry'
import { modelOf } from '@/lib/services/models/model'
import { imageRate } from '@/lib/services/models/type-parts'

const parsed = (entry: object) =>
  modelOf(ModelEntry.parse({ id: 'm', engine: 'house', ...entry }), { privacy: 'private' })
const specOf = (entry: object) => parsed(entry).record.model_spec as Record<string, unknown>
const upscale = { '2x': { usd: 0.02 }, '4x': { usd: 0.08 } }

test('quality outranks resolution, which outranks the price of one', () => {
  const { image } = parsed({
    type: 'image',
    pricing: {
      generation: { usd: 0.01 },
      resolutions: { '2K': { usd: 0.4 } },
      quality: { '1K': { low: { usd: 0.05 } } },
      upscale,
    },
  })
  const rate = (tier: Parameters<typeof imageRate>[1]) => imageRate(image!.prices, tier)
  expect(rate({})).toBe(perUnit(0.01))
  expect(rate({ resolution: '2K', quality: 'low' })).toBe(perUnit(0.4))
  expect(rate({ resolution: '1K', quality: 'low' })).toBe(perUnit(0.05))
  expect(rate({ resolution: '1K', quality: 'high' })).toBe(perUnit(0.01))
})

test('a model that prices sizes only is never cheaper than its dearest size', () => {
  const pricing = { resolutions: { '1K': { usd: 0.2 }, '2K': { usd: 0.4 } }, upscale }
  expect(imageRate(parsed({ type: 'image', pricing }).image!.prices, {})).toBe(perUnit(0.4))
  expect(imageRate(parsed({ type: 'image' }).image!.prices, {})).toBeUndefined()
})

test('a model whose file says little is listed with all that the contract wants', () => {
  expect(specOf({ type: 'image' }).constraints).toEqual({
    promptCharacterLimit: 1_500,
    steps: { default: 20, max: 50 },
    widthHeightDivisor: 8,
  })
  expect(specOf({ type: 'inpaint' }).constraints).toEqual({
    aspectRatios: ['auto'],
    promptCharacterLimit: 1_500,
    combineImages: false,
  })
})

test('what nothing here does is not promised', () => {
  const spec = specOf({ type: 'image', supportsStyleReferences: true, supportsWebSearch: true })
  expect(spec).toMatchObject({ supportsStyleReferences: false })
  expect(spec).not.toHaveProperty('supportsWebSearch')
})

test('embedded: enlarging in both profiles, filling in the standard one, and no painter of prompts', () => {
  const typesOf = (profile: 'lean' | 'standard') =>
    embeddedModels(profile)
      .map(({ type }) => type)
      .filter((type) => /image|inpaint|upscale/.test(type))
  expect(typesOf('lean')).toEqual(['upscale'])
  expect(typesOf('standard')).toEqual(['upscale', 'inpaint'])
})
