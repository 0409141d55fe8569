import { voiceCost } from '@/lib/browser/format/cost'
import type { ModelCard, Readers } from '@/lib/browser/models'
import { type TokenPrice, worstCase } from '@/lib/browser/spending-cap'
import type { Attachment, Sources } from '@/lib/browser/storage/records'
import {
  DESCRIBED_IMAGE_TOKENS,
  DESCRIPTION_TOKENS,
  DOCUMENT_BYTES_PER_TOKEN,
  IMAGE_TOKENS,
  likelyTokens,
  MESSAGE_TOKENS,
  PIXELS_PER_TOKEN,
  SERVICE_PROMPT_TOKENS,
  SOUND_SECOND_TOKENS,
  SPEECH_SECOND_TOKENS,
  VIDEO_SECOND_TOKENS,
  WEB_TOKENS,
} from '@/lib/contract/estimates'
import { MAX_AUDIO_SECONDS, MAX_NATIVE_RESULTS, MAX_PAGES_READ, VIDEO_FRAMES } from '@/lib/contract/limits'
import { nano, type Price, type Usd, ZERO } from '@/lib/contract/money'
import { WEB_SOURCE_PRICE } from '@/lib/contract/prices'

const TYPICAL_ANSWER = 400
const TYPICAL_THOUGHTS = 900
const SHORT = 0.4
const LONG = 2.2

export type EstimateInput = {
  model: Pick<ModelCard, 'price' | 'takes' | 'readers' | 'maxOutputTokens' | 'badges'>
  before: { text: string; attachments?: Attachment[] }[]
  text: string
  attachments: Attachment[]
  hearing?: HearingPrices
  sources?: Sources
  isThinkingOff?: boolean
  answers?: number[]
  maxOutputTokens?: number
}

export type Estimate = { tokens: number; low: Usd; high: Usd }

/** Estimates what a message is likely to cost; a free model costs what its sources do. Both ends are rounded up. */
export function estimate(input: EstimateInput): Estimate {
  const { model, before, text, attachments, sources, hearing } = input
  const texts = [...before.map((turn) => turn.text), text]
  const files = [...before.flatMap((turn) => turn.attachments ?? []), ...attachments]
  const tokens =
    SERVICE_PROMPT_TOKENS +
    texts.reduce((sum, one) => sum + likelyTokens(one) + MESSAGE_TOKENS.likely, 0) +
    files.reduce((sum, file) => sum + fileTokens(file, model), 0)
  const answer = answerTokens(input)
  const looked = sourcesPrice(sources, text)
  const read = readingPrice(files, model, hearing).likely
  const price: TokenPrice = model.price ?? { input: 0, output: 0 }
  const searched = sources && (sources.web || sources.searchesX) ? WEB_TOKENS.likely : 0
  return {
    tokens,
    low: nano(worstCase(tokens, answer.short, price) + looked.low + read),
    high: nano(worstCase(tokens + searched, answer.long, price) + looked.high + read),
  }
}

export function fileTokens(file: Attachment, { takes }: Pick<ModelCard, 'takes'>): number {
  const seconds = (file.durationMs ?? 60_000) / 1_000
  switch (file.kind) {
    case 'image':
      if (takes.images === 'assisted') return DESCRIPTION_TOKENS.likely
      return file.width && file.height ? Math.ceil((file.width * file.height) / PIXELS_PER_TOKEN) : IMAGE_TOKENS.likely
    case 'audio':
      return Math.ceil(seconds * (takes.audio === 'assisted' ? SPEECH_SECOND_TOKENS : SOUND_SECOND_TOKENS.likely))
    case 'video':
      if (takes.video === 'itself') return Math.ceil(seconds * VIDEO_SECOND_TOKENS.likely)
      return Math.ceil(VIDEO_FRAMES * DESCRIPTION_TOKENS.likely + seconds * SPEECH_SECOND_TOKENS)
    case 'document':
      return file.tokens ?? Math.ceil(file.size / DOCUMENT_BYTES_PER_TOKEN.likely)
  }
}

/** Prices web sources, least and most. Nothing is charged where nothing was found. */
export function sourcesPrice(sources: Sources | undefined, text: string): { low: Usd; high: Usd } {
  if (!sources) return { low: nano(0n), high: nano(0n) }
  // The service takes one way: X before links, links before a search.
  if (sources.searchesX) return { low: nano(0n), high: nano(WEB_SOURCE_PRICE * BigInt(MAX_NATIVE_RESULTS)) }
  const links = sources.readsLinks ? linksIn(text) : 0
  if (links > 0) return { low: nano(0n), high: nano(WEB_SOURCE_PRICE * BigInt(links)) }
  if (!sources.web) return { low: nano(0n), high: nano(0n) }
  return { low: sources.web === 'on' ? WEB_SOURCE_PRICE : nano(0n), high: WEB_SOURCE_PRICE }
}

export function foundPrice(sources: Sources, text: string, found: number): Usd {
  const isEach = sources.searchesX === true || (sources.readsLinks === true && linksIn(text) > 0)
  return nano(WEB_SOURCE_PRICE * BigInt(isEach ? found : Math.min(found, 1)))
}

function linksIn(text: string): number {
  return Math.min(MAX_PAGES_READ, new Set(text.match(/https?:\/\/[^\s<>"')\]]+/gi)).size)
}

function answerTokens({ model, answers = [], isThinkingOff, maxOutputTokens }: EstimateInput) {
  const thinks = model.badges.includes('reasoning') && !isThinkingOff
  const usual = TYPICAL_ANSWER + (thinks ? TYPICAL_THOUGHTS : 0)
  const sorted = answers.filter((tokens) => tokens > 0).toSorted((a, b) => a - b)
  const typical = sorted[Math.floor(sorted.length / 2)] ?? usual
  const max = Math.min(maxOutputTokens || Number.POSITIVE_INFINITY, model.maxOutputTokens || Number.POSITIVE_INFINITY)
  return {
    short: Math.round(Math.min(max, typical * SHORT)),
    long: Math.round(Math.min(max, Math.max(typical * LONG, TYPICAL_ANSWER))),
  }
}

/** Price of a second of audio by the model that transcribes it; one that is not listed is free. */
export type HearingPrices = Readonly<Record<string, Price>>

type Model = Pick<ModelCard, 'takes' | 'readers'>
type File = Pick<Attachment, 'kind' | 'durationMs'>

const USUAL_SECONDS = 60

export const needsHearing = (files: readonly File[], model: Model): boolean =>
  model.readers?.audio !== undefined && files.some((file) => secondsHeard(file, model, 1) > 0)

/** Prices the models that read for this one: image descriptions and transcripts. Both figures are rounded up. */
export function readingPrice(
  files: readonly File[],
  model: Model,
  hearing: HearingPrices = {},
): { likely: Usd; max: Usd } {
  const { images, audio } = model.readers ?? {}
  const imageFiles = files.reduce((sum, file) => sum + imagesRead(file, model), 0)
  const second = audio === undefined ? undefined : hearing[audio]
  const heard = (unknown: number) =>
    files.reduce((sum, file) => nano(sum + voiceCost(secondsHeard(file, model, unknown), second)), ZERO)
  return {
    likely: nano(described(imageFiles, 'likely', images) + heard(USUAL_SECONDS)),
    max: nano(described(imageFiles, 'upper', images) + heard(MAX_AUDIO_SECONDS)),
  }
}

function described(images: number, column: 'likely' | 'upper', reader: Readers['images']): Usd {
  if (!reader?.price || images === 0) return ZERO
  const { price, maxOutputTokens } = reader
  const max = DESCRIPTION_TOKENS[column]
  const written = Math.min(max, maxOutputTokens || max)
  return worstCase(images * DESCRIBED_IMAGE_TOKENS[column], images * written, price)
}

function imagesRead({ kind }: File, { takes }: Model): number {
  if (kind === 'image') return takes.images === 'assisted' ? 1 : 0
  // A film that goes as frames and sound: each of them is read as a picture or a recording is.
  return kind === 'video' && takes.video === 'assisted' && takes.images === 'assisted' ? VIDEO_FRAMES : 0
}

function secondsHeard({ kind, durationMs }: File, { takes }: Model, unknown: number): number {
  const isHeard = kind === 'audio' || (kind === 'video' && takes.video === 'assisted')
  if (!isHeard || takes.audio !== 'assisted') return 0
  return durationMs === undefined ? unknown : durationMs / 1_000
}
