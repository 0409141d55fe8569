import { expect, test } from 'vitest'
import type { ImageModel } from '@/components/studio/image/models'
import { priceOfImage } from '@/components/studio/image/settings'
import { usd } from '@/lib/contract/money'

const NO_PRICES = { byResolution: {}, byQuality: {}, byFactor: {} }
const model = (changes: Partial<ImageModel>): ImageModel => ({
  id: 'm',
  name: 'M',
  description: '',
  type: 'image',
  privacy: 'private',
  traits: [],
  isOffline: false,
  isBeta: false,
  maxPromptChars: 1_500,
  ratios: [],
  resolutions: [],
  qualities: [],
  readsPrompt: true,
  divisor: 8,
  maxImages: 1,
  prices: NO_PRICES,
  ...changes,
})

const total = (
  ...[task, of, settings, inputs = []]: [
    Parameters<typeof priceOfImage>[0]['task'],
    ImageModel,
    Parameters<typeof priceOfImage>[0]['settings'],
    { width?: number; height?: number }[]?,
  ]
) => priceOfImage({ task, model: of, settings, inputs }).total

test('each variant is another picture', () => {
  const plain = model({ prices: { ...NO_PRICES, base: 0.015 } })
  expect(total('generate', plain, {})).toBe(usd('0.015'))
  expect(total('generate', plain, { variants: 4 })).toBe(usd('0.06'))
  expect(total('generate', model({}), { variants: 4 })).toBe(0n)
})

test('quality outranks resolution, which outranks the plain price; what is not chosen is the model’s own', () => {
  const tiered = model({
    resolutions: ['1K', '2K'],
    defaultResolution: '1K',
    qualities: ['low', 'high'],
    prices: {
      ...NO_PRICES,
      base: 0.5,
      byResolution: { '1K': 0.03, '2K': 0.06 },
      byQuality: { '2K': { high: 0.2 } },
    },
  })
  expect(total('generate', tiered, {})).toBe(usd('0.03'))
  expect(total('generate', tiered, { resolution: '2K' })).toBe(usd('0.06'))
  expect(total('generate', tiered, { resolution: '2K', quality: 'high' })).toBe(usd('0.2'))
  expect(total('generate', tiered, { resolution: '8K' })).toBe(usd('0.5'))
})

test('an edit pays for the pictures beyond those that are included', () => {
  const mixer = model({
    type: 'inpaint',
    prices: { ...NO_PRICES, base: 0.04, inputs: { included: 1, additional: 0.01 } },
  })
  expect(total('edit', mixer, {}, [{}])).toBe(usd('0.04'))
  expect(total('multi-edit', mixer, {}, [{}, {}, {}])).toBe(usd('0.06'))
})

test('enlarging is charged by what it truly is: a large picture is not enlarged four times', () => {
  const enlarger = model({ type: 'upscale', prices: { ...NO_PRICES, byFactor: { '2x': 0.001, '4x': 0.004 } } })
  const of = (width: number, height: number) => total('upscale', enlarger, { factor: 4 }, [{ width, height }])
  expect(total('upscale', enlarger, {}, [{ width: 512, height: 512 }])).toBe(usd('0.001'))
  expect(of(512, 512)).toBe(usd('0.004'))
  expect(of(2_048, 2_048)).toBe(usd('0.001'))
  expect(of(1_500, 1_500)).toBe(usd('0.004'))
})

test('a prompt that may be rewritten may cost that much more', () => {
  const plain = model({ prices: { ...NO_PRICES, base: 0.01 } })
  const price = priceOfImage({ task: 'generate', model: plain, settings: { rewritesPrompt: true }, inputs: [] })
  expect(price).toMatchObject({ total: usd('0.01'), mayAdd: usd('0.04') })
})
