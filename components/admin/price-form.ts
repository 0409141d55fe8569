import { formatPrice } from '@/lib/browser/format/cost'
import { MAX_CONTEXT_TOKENS, MAX_MODEL_PRICE_USD } from '@/lib/contract/models'
import {
  type ConnectedModel,
  MAX_GENERATED_SECONDS,
  MAX_MARGIN_PERCENT,
  MAX_PRICE_DECIMALS,
  type NeededPrice,
  type OfferedModel,
  PRICES_OF_TYPE,
  type PricedModel,
  type ProviderModelType,
  type ProviderPrices,
  readVideoSeconds,
  withMargin,
} from '@/lib/contract/providers'
import { msg, t } from '@/lib/i18n/t'

/** One model of the form: chosen or not, and its prices as they are typed. */
export type Row = {
  model: OfferedModel
  isChosen: boolean
  typed: Partial<Record<PriceName, string>>
  /** Size of a text model's context, where somebody changed it. */
  context?: string
  /** Lengths of a model's videos, where somebody changed them. */
  lengths?: string
  /** Prices that were typed stay when the margin changes. */
  isTyped: boolean
  /** It is connected, and the server lists it no more. */
  isGone?: boolean
}

export const TYPE_NAMES: Record<ProviderModelType, string> = {
  text: msg('Chat'),
  embedding: msg('Embeddings'),
  image: msg('Images'),
  tts: msg('Speech'),
  asr: msg('Transcription'),
  video: msg('Video'),
}

export type PriceName = NeededPrice

/** As many as somebody wants to look through unasked. */
const MAX_PRECHOSEN = 8

export const priceNames = (type: ProviderModelType): readonly PriceName[] => PRICES_OF_TYPE[type]

export function newRows(models: OfferedModel[], marginPercent: number): Row[] {
  const isShort = models.length <= MAX_PRECHOSEN
  return models.map((model) => ({
    model,
    isChosen: isShort,
    typed: proposed(model, marginPercent),
    isTyped: false,
  }))
}

/** Adds a model that the server does not list, or chooses the one of this name. */
export function withAdded(rows: Row[], added: Pick<OfferedModel, 'upstreamModel' | 'type' | 'cost'>, margin: number) {
  const isAdded = ({ model }: Row) => model.upstreamModel === added.upstreamModel
  if (rows.some(isAdded)) return rows.map((row) => (isAdded(row) ? { ...row, isChosen: true } : row))
  return [...newRows([added], margin), ...rows]
}

/** The models of a connected provider with their prices, and what else the server has. */
export function rowsOfProvider(connected: PricedModel[], listed: OfferedModel[], marginPercent: number): Row[] {
  const byName = new Map(listed.map((model) => [model.upstreamModel, model]))
  const known = new Set(connected.map(({ upstreamModel }) => upstreamModel))
  const own = connected.map(({ prices, ...stored }): Row => {
    const now = byName.get(stored.upstreamModel)
    const model = { ...stored, ...now, ...(stored.video && { video: { ...now?.video, ...stored.video } }) }
    const isGone = listed.length > 0 && !byName.has(stored.upstreamModel)
    return { model, isChosen: true, typed: textsOf(stored.type, prices), isTyped: true, ...(isGone && { isGone }) }
  })
  const others = listed.filter(({ upstreamModel }) => !known.has(upstreamModel))
  return [...own, ...newRows(others, marginPercent).map((row) => ({ ...row, isChosen: false }))]
}

export const withNewMargin = (rows: Row[], marginPercent: number): Row[] =>
  rows.map((row) => (row.isTyped ? row : { ...row, typed: proposed(row.model, marginPercent) }))

const proposed = (model: OfferedModel, marginPercent: number): Row['typed'] =>
  textsOf(model.type, withMargin(model.cost, marginPercent))

function textsOf(type: ProviderModelType, prices: ProviderPrices | null | undefined): Row['typed'] {
  if (prices === undefined) return {}
  return Object.fromEntries(priceNames(type).map((name) => [name, plainNumber(prices?.[name] ?? 0)]))
}

const plainNumber = (dollars: number): string =>
  dollars.toLocaleString('en', { useGrouping: false, maximumFractionDigits: MAX_PRICE_DECIMALS })

/** Says prices in one line, by the unit of the model's type. */
export function priceText(prices: ConnectedModel['prices'], type: ProviderModelType): string {
  if (prices === null) return t('Free')
  const { input, output, image, second } = prices
  if (image !== undefined) return t('{price} per image', { price: formatPrice(image) })
  if (second !== undefined && type === 'video') return t('{price} per second of video', { price: formatPrice(second) })
  if (second !== undefined) return t('{price} per second of audio', { price: formatPrice(second) })
  if (type === 'tts') return t('{price} per million characters', { price: formatPrice(input ?? 0) })
  if (output === undefined) return t('{input} per million tokens', { input: formatPrice(input ?? 0) })
  return t('{input} in, {output} out per million tokens', {
    input: formatPrice(input ?? 0),
    output: formatPrice(output),
  })
}

/** Says what is wrong with a price that was typed. */
export function priceFault(row: Row, name: PriceName): string | undefined {
  const dollars = dollarsOf(row, name)
  if (dollars === undefined) return t('Enter a price. 0 makes the model free.')
  if (dollars === 'none') return t('Enter dollars, with at most 6 decimals.')
  if (dollars > MAX_MODEL_PRICE_USD) {
    const max = formatPrice(MAX_MODEL_PRICE_USD)
    if (name === 'image') return t('At most {max} per image.', { max })
    if (row.model.type === 'video') return t('At most {max} per second of video.', { max })
    if (name === 'second') return t('At most {max} per second of audio.', { max })
    if (row.model.type === 'tts') return t('At most {max} per million characters.', { max })
    return t('At most {max} per million tokens.', { max })
  }
  const others = priceNames(row.model.type).map((other) => dollarsOf(row, other))
  if (dollars === 0 && others.some((other) => typeof other === 'number' && other > 0)) {
    return t('Enter a price above 0, or 0 for both.')
  }
  return undefined
}

export const isFree = (row: Row): boolean => priceNames(row.model.type).every((name) => dollarsOf(row, name) === 0)

/** A price that is less than what the provider charges. */
export const isBelowCost = (row: Row): boolean =>
  priceNames(row.model.type).some((name) => {
    const dollars = dollarsOf(row, name)
    return typeof dollars === 'number' && dollars < (row.model.cost?.[name] ?? 0)
  })

export const hasFault = (row: Row): boolean =>
  contextFault(row) !== undefined ||
  lengthsFault(row) !== undefined ||
  priceNames(row.model.type).some((name) => priceFault(row, name) !== undefined)

/** Says what is wrong with a size of a context that was typed. Without one the service takes a small one. */
export function contextFault({ context }: Row): string | undefined {
  if (context === undefined || context.trim() === '' || contextOf(context) !== undefined) return undefined
  return t('Enter a whole number of tokens.')
}

export const lengthsText = ({ model, lengths }: Row): string => lengths ?? model.video?.seconds?.join(', ') ?? ''

/** Says what is wrong with the lengths of videos. A price is for a second of them, so that it needs one. */
export function lengthsFault(row: Row): string | undefined {
  if (row.model.type !== 'video') return undefined
  const text = lengthsText(row)
  if ((text.trim() === '' && isFree(row)) || readVideoSeconds(text)) return undefined
  return t('Enter whole seconds from 1 to {max}, such as 4, 8.', { max: MAX_GENERATED_SECONDS })
}

function contextOf(text: string): number | undefined {
  const tokens = Number(text.replace(/[\s,._’']/g, ''))
  return Number.isInteger(tokens) && tokens >= 1 && tokens <= MAX_CONTEXT_TOKENS ? tokens : undefined
}

/** @throws when a row has a fault; ask before. */
export function pricedModel(row: Row, marginPercent: number): PricedModel {
  const contextTokens = row.context === undefined ? row.model.contextTokens : contextOf(row.context)
  const { contextTokens: _, video, ...rest } = row.model
  const model: OfferedModel = {
    ...rest,
    ...(contextTokens !== undefined && { contextTokens }),
    ...(rest.type === 'video' && { video: { ...video, seconds: readVideoSeconds(lengthsText(row)) } }),
  }
  if (isFree(row)) return { ...model, prices: null }
  const prices = Object.fromEntries(priceNames(model.type).map((name) => [name, Number(bare(row.typed[name]))]))
  if (model.type !== 'text') return { ...model, prices }
  const { cacheInput, cacheWrite } = withMargin(model.cost, marginPercent) ?? {}
  return {
    ...model,
    prices: {
      ...prices,
      // What the provider takes less, or more, for its cache is passed on.
      ...(cacheInput !== undefined && { cacheInput }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  }
}

function dollarsOf(row: Row, name: PriceName): number | 'none' | undefined {
  const text = bare(row.typed[name])
  if (text === '') return undefined
  return /^\d{1,9}(\.\d{0,6})?$|^\.\d{1,6}$/.test(text) ? Number(text) : 'none'
}

const bare = (text = ''): string => text.trim().replace(',', '.')

export function parseMargin(text: string): number | undefined {
  const bareText = bare(text)
  const percent = Number(bareText)
  return /^\d{1,4}(\.\d{1,2})?$/.test(bareText) && percent <= MAX_MARGIN_PERCENT ? percent : undefined
}
