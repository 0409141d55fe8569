import 'server-only'
import { type Price, perMillion } from '@/lib/contract/money'
import { SPEECH_FORMATS, type SpeechFormat } from '@/lib/contract/speech-types'
import { EMBEDDING_MAX_TOKENS } from '@/lib/services/engines/embedded/task-protocol'
import { KOKORO_VOICES } from '@/lib/services/engines/embedded/weights/table'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { formatsMadeHere } from '@/lib/services/media/speech-encoder'
import type { ModelEntry } from '@/lib/services/models/entry'

type Entry<T extends ModelEntry['type']> = Extract<ModelEntry, { type: T }>

/** Tokens that any embedding model takes of one text, unless it takes fewer. Source: API contract, embeddings.md. */
const MAX_INPUT_TOKENS = 8_192

/** What an embedding model can do. */
export type EmbeddingPart = { dimensions?: number; maxInputTokens: number; canShorten: boolean }

/** What a speech model can do. `voices` is empty where its file lists none: then its engine decides. */
export type SpeechPart = {
  voices: readonly string[]
  formats: readonly SpeechFormat[]
  defaultFormat: SpeechFormat
  takesForeignVoices: boolean
}

/** What models that make vectors or speech can do. */
export type IoParts = {
  /** The price of one token, or of one character, of the input. Nothing: free. */
  inputRate?: Price
  embedding?: EmbeddingPart
  speech?: SpeechPart
}

/** The fields of models that make vectors or speech. */
export function ioParts(entry: ModelEntry): IoParts {
  if (entry.type === 'embedding') return { inputRate: rateOf(entry), embedding: embeddingPart(entry) }
  if (entry.type === 'tts') return { inputRate: rateOf(entry), speech: speechPart(entry) }
  return {}
}

/** What `/models` says of them beyond what the entry says itself. */
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
  const most = entry.engine === EMBEDDED_ENGINE ? EMBEDDING_MAX_TOKENS : MAX_INPUT_TOKENS
  return {
    dimensions: entry.embeddingDimensions,
    maxInputTokens: Math.min(entry.maxInputTokens ?? most, most),
    canShorten: entry.supportsCustomDimensions === true,
  }
}

/** The formats of an entry that can be had: its own where an upstream makes them, those of this installation otherwise. */
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
