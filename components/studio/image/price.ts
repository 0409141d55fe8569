import type { ImageModel, ImageTask } from '@/components/studio/image/models'
import { enlargedSize, type ImageSettings } from '@/components/studio/image/settings'
import { moneyOf } from '@/lib/browser/format/cost'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { PROMPT_REWRITE_PRICE } from '@/lib/contract/prices'

const SMALL_FACTOR = 2

export type ImagePrice = { each: Usd; count: number; total: Usd; mayAdd: Usd }

type Priced = {
  task: ImageTask
  model: ImageModel
  settings: ImageSettings
  inputs: readonly { width?: number; height?: number }[]
}

/** Prices an image as the service does. Source: API contract, models.md and images.md. */
export function priceOfImage({ task, model, settings, inputs }: Priced): ImagePrice {
  const count = task === 'generate' ? (settings.variants ?? 1) : 1
  const each = moneyOf(eachDollars({ task, model, settings, inputs }))
  const mayAdd =
    settings.rewritesPrompt && task !== 'upscale' && task !== 'background-remove' ? PROMPT_REWRITE_PRICE : ZERO
  return { each, count, total: nano(each * BigInt(count)), mayAdd }
}

function eachDollars({ task, model, settings, inputs }: Priced): number {
  const { prices } = model
  // It is charged as any edit of that model, of its plain price.
  if (task === 'background-remove') return prices.base ?? 0
  if (task === 'upscale') return factorDollars(model, settings, inputs[0])
  const more = prices.inputs ? Math.max(0, inputs.length - prices.inputs.included) * prices.inputs.additional : 0
  return rate(model, settings) + (task === 'generate' ? 0 : more)
}

// The actual factor is charged: a large image is enlarged less than four times.
function factorDollars(
  { prices }: ImageModel,
  { factor = 2 }: ImageSettings,
  input: Priced['inputs'][number] = {},
): number {
  const { width, height } = input
  const truly =
    width !== undefined && height !== undefined ? enlargedSize({ width, height }, factor).width / width : factor
  return prices.byFactor[truly > SMALL_FACTOR ? '4x' : '2x'] ?? 0
}

// Quality outranks resolution, which outranks the plain price.
function rate({ prices, ...model }: ImageModel, settings: ImageSettings): number {
  const resolution = settings.resolution ?? model.defaultResolution ?? model.resolutions[0]
  const quality = settings.quality ?? model.defaultQuality
  const known = Object.values(prices.byResolution)
  return (
    (quality && prices.byQuality[resolution ?? '']?.[quality]) ??
    prices.byResolution[resolution ?? ''] ??
    prices.base ??
    (known.length > 0 ? Math.max(...known) : 0)
  )
}
