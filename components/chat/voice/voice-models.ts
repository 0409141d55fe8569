import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, asList, fetchJson, text } from '@/lib/browser/api'
import type { HearingPrices } from '@/lib/browser/estimate'
import { CapReached } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { availabilityOf, type ModelSpec, modelsOf } from '@/lib/browser/models'
import { readPreference } from '@/lib/browser/preferences'
import { parseCap } from '@/lib/browser/spending-cap'
import { type Price, perMillion, perUnit, type Usd } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

export type VoiceModel = {
  id: string
  name: string
  /** Per second of sound, or per character of text. */
  price?: Price
  formats: string[]
}

const FRESH_MS = 300_000

export const transcriptionModelQuery = () => voiceQuery('asr', recognitionPrice)

export const hearingPricesQuery = () =>
  queryOptions({
    queryKey: ['models', 'asr', 'prices'],
    queryFn: async ({ signal }): Promise<HearingPrices> =>
      hearingPrices(asList(await fetchJson<unknown>(`${API_ROOT}/models?type=asr`, { signal }))),
    staleTime: FRESH_MS,
  })

export function hearingPrices(records: unknown[]): HearingPrices {
  const priced = modelsOf<'asr'>({ data: records }).flatMap(({ id, model_spec: { pricing } }): [string, Price][] => {
    const price = pricing && recognitionPrice(pricing)
    return price ? [[id, price]] : []
  })
  return Object.fromEntries(priced)
}

export const speechModelQuery = () => voiceQuery('tts', ({ input }) => priceIn(input, perMillion))

type Pricing = NonNullable<ModelSpec<'asr'>['pricing'] & ModelSpec<'tts'>['pricing']>

const recognitionPrice = ({ per_audio_second: price }: Pricing) => priceIn(price, perUnit)

function voiceQuery(type: 'asr' | 'tts', priceOf: (pricing: Pricing) => Price | undefined) {
  return queryOptions({
    queryKey: ['models', type],
    queryFn: async ({ signal }): Promise<VoiceModel | null> =>
      chosen(asList(await fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal })), priceOf),
    staleTime: FRESH_MS,
  })
}

export function chosen(records: unknown[], priceOf: (pricing: Pricing) => Price | undefined): VoiceModel | null {
  const serving = modelsOf<'asr' | 'tts'>({ data: records }).filter(
    ({ model_spec }) => !availabilityOf(model_spec).isOffline,
  )
  const record = serving.find(({ model_spec }) => model_spec.traits?.includes('default')) ?? serving[0]
  if (!record) return null
  const { name, pricing, ...spec } = record.model_spec as ModelSpec<'tts'> & ModelSpec<'asr'>
  const price = pricing && priceOf(pricing)
  return {
    id: record.id,
    name: text(name) ?? record.id,
    formats: [...(spec.default_format ? [spec.default_format] : []), ...(spec.supported_formats ?? [])],
    ...(price && { price }),
  }
}

function priceIn(price: { usd?: number } | undefined, read: (dollars: number) => Price): Price | undefined {
  return price?.usd ? read(price.usd) : undefined
}

const PICO_PER_NANO = 1_000n
/** A recording stops this long before a second begins that would exceed the limit. */
const STOP_BEFORE_MS = 500

export const messageCap = (): Usd | undefined => parseCap(readPreference('capPerMessage'))

/** Returns how long a recording may be within a spending limit; 0 where not even two seconds fit. */
export function longestRecordingMs(cap: Usd, price: Price): number {
  const seconds = Number((cap * PICO_PER_NANO) / price)
  return seconds < 2 ? 0 : seconds * 1_000 - STOP_BEFORE_MS
}

/** @throws CapReached when `total` is over the limit. */
export function assertReading(total: Usd): void {
  const cap = messageCap()
  if (cap === undefined || total <= cap) return
  throw new CapReached(
    'CAP_PER_MESSAGE',
    t('Reading the next part would bring the cost to {cost}. Your cap is {cap} per message.', {
      cost: formatExactMoney(total),
      cap: formatExactMoney(cap),
    }),
  )
}
