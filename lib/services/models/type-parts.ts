import 'server-only'
import { SPEECH_FORMATS, type SpeechFormat } from '@/lib/contract/audio'
import { type Price, perMillion, perUnit } from '@/lib/contract/money'
import { KOKORO_VOICES } from '@/lib/services/engines/embedded/speech/voices'
import { EMBEDDING_MAX_TOKENS } from '@/lib/services/engines/embedded/task-protocol'
import { EMBEDDED_ENGINE, embeddingEngine } from '@/lib/services/engines/registry'
import { formatsMadeHere } from '@/lib/services/media/speech-encoder'
import type { ModelEntry } from '@/lib/services/models/entry'

type Entry<T extends ModelEntry['type']> = Extract<ModelEntry, { type: T }>

const MAX_INPUT_TOKENS = 8_192

export type EmbeddingPart = { dimensions?: number; maxInputTokens: number; canShorten: boolean }

/** `voices` is empty where its file lists none: then its engine decides. */
export type SpeechPart = {
  voices: readonly string[]
  formats: readonly SpeechFormat[]
  defaultFormat: SpeechFormat
  takesForeignVoices: boolean
}

export type IoParts = {
  inputRate?: Price
  embedding?: EmbeddingPart
  speech?: SpeechPart
}

export function ioParts(entry: ModelEntry): IoParts {
  if (entry.type === 'embedding') return { inputRate: rateOf(entry), embedding: embeddingPart(entry) }
  if (entry.type === 'tts') return { inputRate: rateOf(entry), speech: speechPart(entry) }
  return {}
}

export function ioSpec({ speech }: IoParts): Record<string, unknown> {
  if (!speech) return {}
  return {
    voices: speech.voices,
    supported_formats: speech.formats,
    default_format: speech.defaultFormat,
    supports_custom_voice_id: speech.takesForeignVoices || undefined,
    // No voice can be cloned here, whatever the engine behind could do.
    voice_cloning: undefined,
  }
}

const rateOf = ({ pricing }: Entry<'embedding' | 'tts'>) => pricing && perMillion(pricing.input.usd)

function embeddingPart(entry: Entry<'embedding'>): EmbeddingPart {
  const { engine, id, upstreamModel = id } = entry
  const embeddedMax = embeddingEngine()?.maxTokens(upstreamModel) ?? EMBEDDING_MAX_TOKENS
  const max = engine === EMBEDDED_ENGINE ? embeddedMax : MAX_INPUT_TOKENS
  return {
    dimensions: entry.embeddingDimensions,
    maxInputTokens: Math.min(entry.maxInputTokens ?? max, max),
    canShorten: entry.supportsCustomDimensions === true,
  }
}

function speechPart(entry: Entry<'tts'>): SpeechPart {
  const isEmbedded = entry.engine === EMBEDDED_ENGINE
  const possible = isEmbedded ? formatsMadeHere() : SPEECH_FORMATS
  const named = possible.filter((format) => entry.supported_formats?.includes(format) ?? true)
  const formats = named.length > 0 ? named : possible
  return {
    voices: entry.voices ?? (isEmbedded ? KOKORO_VOICES : []),
    formats,
    defaultFormat: formats.find((format) => format === entry.default_format) ?? formats[0]!,
    takesForeignVoices: !isEmbedded && entry.supports_custom_voice_id === true,
  }
}

export type MusicPart = Entry<'music'>

export type VideoPart = NonNullable<Entry<'video'>['constraints']> &
  Pick<Entry<'video'>, 'price' | 'inputNames' | 'consent'> & { hasDownloadUrl?: boolean }

export type JobParts = { music?: MusicPart; video?: VideoPart }

const PLAIN_VIDEO = {
  model_type: 'text-to-video',
  aspect_ratios: [],
  resolutions: [],
  durations: [],
  audio: false,
  audio_configurable: false,
} satisfies VideoPart

export function jobParts(entry: ModelEntry): JobParts {
  if (entry.type === 'music') return { music: entry }
  if (entry.type !== 'video') return {}
  const { constraints = PLAIN_VIDEO, price, inputNames, consent, hasDownloadUrl } = entry
  return { video: { ...constraints, price, inputNames, consent, hasDownloadUrl } }
}

type FilePrice = { usd: number }

export type Quality = 'low' | 'medium' | 'high'

/** Prices of one image. `byQuality` outranks `byResolution`, which outranks `base`. None at all: free. */
type ImagePrices = {
  base?: Price
  byResolution?: Record<string, Price>
  byQuality?: Record<string, Partial<Record<Quality, Price>>>
}

export type ImagePart = NonNullable<Entry<'image'>['constraints']> & { prices?: ImagePrices }

export type InpaintPart = NonNullable<Entry<'inpaint'>['constraints']> & {
  prices?: ImagePrices
  inputs?: { included: number; additional: Price }
}

type UpscalePart = { prices?: { '2x': Price; '4x': Price } }

export type ImageParts = { image?: ImagePart; inpaint?: InpaintPart; upscale?: UpscalePart }

const PLAIN_IMAGE = { promptCharacterLimit: 1_500, steps: { default: 20, max: 50 }, widthHeightDivisor: 8 }
const PLAIN_INPAINT = { aspectRatios: ['auto'], promptCharacterLimit: 1_500, combineImages: false }

export function imageParts(entry: ModelEntry): ImageParts {
  if (entry.type === 'image') {
    const { constraints = PLAIN_IMAGE, pricing } = entry
    return { image: { ...constraints, prices: pricing && pricesOf(pricing.generation, pricing) } }
  }
  if (entry.type === 'inpaint') {
    const { constraints = PLAIN_INPAINT, pricing } = entry
    const inputs = pricing?.inputImages && {
      included: pricing.inputImages.included,
      additional: perUnit(pricing.inputImages.additional.usd),
    }
    return { inpaint: { ...constraints, prices: pricing && pricesOf(pricing.inpaint, pricing), inputs } }
  }
  if (entry.type !== 'upscale') return {}
  const tiers = entry.pricing?.upscale
  return { upscale: { prices: tiers && { '2x': perUnit(tiers['2x'].usd), '4x': perUnit(tiers['4x'].usd) } } }
}

export function imageSpec({ image, inpaint }: ImageParts): Record<string, unknown> {
  if (inpaint) {
    const { prices: _, inputs: __, ...constraints } = inpaint
    return { constraints }
  }
  if (!image) return {}
  // References, web search and thinking are passed to no engine here, whatever the engine behind could do.
  const { prices: _, maxStyleReferences: __, supportsStyleReferenceStrength: ___, ...constraints } = image
  return {
    constraints,
    supportsStyleReferences: false,
    supportsWebSearch: undefined,
    supportsOptimizePromptThinking: undefined,
  }
}

export function imageRate(
  prices: ImagePrices | undefined,
  { resolution, quality }: { resolution?: string; quality?: Quality },
): Price | undefined {
  const tier = prices?.byQuality?.[resolution ?? '']
  const byQuality = quality && tier?.[quality]
  const byResolution = resolution === undefined ? undefined : prices?.byResolution?.[resolution]
  return byQuality ?? byResolution ?? prices?.base ?? dearest(prices)
}

/** Prices recorded sound: each begun second is charged. */
export function secondLines({ id, secondRate }: { id: string; secondRate?: Price }, seconds: number) {
  return secondRate ? [{ sku: `${id}-asr-second`, units: Math.ceil(seconds), price: secondRate }] : []
}

function dearest({ byResolution = {} }: ImagePrices = {}): Price | undefined {
  return Object.values(byResolution).reduce<Price | undefined>((max, one) => (max && max > one ? max : one), undefined)
}

type Tiers = { resolutions?: Record<string, FilePrice>; quality?: Record<string, Partial<Record<Quality, FilePrice>>> }

function pricesOf(base: FilePrice | undefined, { resolutions, quality }: Tiers): ImagePrices {
  const each = <T, U>(map: Record<string, T> | undefined, change: (value: T) => U) =>
    map && Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))
  return {
    base: base && perUnit(base.usd),
    byResolution: each(resolutions, ({ usd }) => perUnit(usd)),
    byQuality: each(
      quality,
      (tier) => each<FilePrice | undefined, Price | undefined>(tier, (one) => one && perUnit(one.usd)) ?? {},
    ),
  }
}
