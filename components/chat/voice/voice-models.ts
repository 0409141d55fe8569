import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson, isRecord, text } from '@/lib/browser/api'
import type { HearingPrices } from '@/lib/browser/estimate'
import { CapReached } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { availabilityOf } from '@/lib/browser/models'
import { readPreference } from '@/lib/browser/preferences'
import { parseCap } from '@/lib/browser/spending-cap'
import type { Usd } from '@/lib/contract/money'
import { type Price, perMillion, perUnit } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

export type VoiceModel = {
  id: string
  name: string
  /** Per second of sound, or per character of text. */
  price?: Price
  formats: string[]
}

const FRESH_MS = 300_000

export const recogniserQuery = () => voiceQuery('asr', (pricing) => priceIn(pricing.per_audio_second, perUnit))

export const hearingPricesQuery = () =>
  queryOptions({
    queryKey: ['models', 'asr', 'prices'],
    queryFn: async ({ signal }): Promise<HearingPrices> => {
      const reply = await fetchJson<unknown>(`${API_ROOT}/models?type=asr`, { signal })
      return hearingPrices(isRecord(reply) && Array.isArray(reply.data) ? reply.data : [])
    },
    staleTime: FRESH_MS,
  })

export function hearingPrices(records: unknown[]): HearingPrices {
  const priced = records.filter(isRecord).flatMap((record): [string, Price][] => {
    const { pricing } = specOf(record)
    const price = isRecord(pricing) ? priceIn(pricing.per_audio_second, perUnit) : undefined
    const id = text(record.id)
    return id && price ? [[id, price]] : []
  })
  return Object.fromEntries(priced)
}

export const speakerQuery = () => voiceQuery('tts', (pricing) => priceIn(pricing.input, perMillion))

function voiceQuery(type: 'asr' | 'tts', priceOf: (pricing: Record<string, unknown>) => Price | undefined) {
  return queryOptions({
    queryKey: ['models', type],
    queryFn: async ({ signal }): Promise<VoiceModel | null> => {
      const reply = await fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal })
      return chosen(isRecord(reply) && Array.isArray(reply.data) ? reply.data : [], priceOf)
    },
    staleTime: FRESH_MS,
  })
}

export function chosen(
  records: unknown[],
  priceOf: (pricing: Record<string, unknown>) => Price | undefined,
): VoiceModel | null {
  const serving = records
    .filter((record) => isRecord(record) && !availabilityOf(specOf(record)).isOffline)
    .filter(isRecord)
  const isDefault = (record: Record<string, unknown>) => {
    const { traits } = specOf(record)
    return Array.isArray(traits) && traits.includes('default')
  }
  const record = serving.find(isDefault) ?? serving[0]
  const id = record && text(record.id)
  if (!record || !id) return null
  const spec = specOf(record)
  const price = isRecord(spec.pricing) ? priceOf(spec.pricing) : undefined
  const formats = [spec.default_format, ...(Array.isArray(spec.supported_formats) ? spec.supported_formats : [])]
  return {
    id,
    name: text(spec.name) ?? id,
    formats: formats.filter((format) => typeof format === 'string'),
    ...(price && { price }),
  }
}

const specOf = (record: Record<string, unknown>): Record<string, unknown> =>
  isRecord(record.model_spec) ? record.model_spec : {}

function priceIn(value: unknown, read: (dollars: number) => Price): Price | undefined {
  const dollars = isRecord(value) ? value.usd : undefined
  return typeof dollars === 'number' && dollars > 0 ? read(dollars) : undefined
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
    t('Reading on would cost {cost}. Your cap is {cap} per message.', {
      cost: formatExactMoney(total),
      cap: formatExactMoney(cap),
    }),
  )
}
