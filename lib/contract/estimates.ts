import { MAX_WEB_CHARS } from '@/lib/contract/limits'

/** Estimated number of tokens: `likely` for prices on display, `upper` for caps and reserved credit. */
type Estimate = { likely: number; upper: number }

export const CHARS_PER_TOKEN = { likely: 4, upper: 3 } as const satisfies Estimate
const OTHER_CHAR = { likely: 1, upper: 1.5 } as const satisfies Estimate
export const MESSAGE_TOKENS = { likely: 6, upper: 8 } as const satisfies Estimate
export const SERVICE_PROMPT_TOKENS = 48
export const WEB_TOKENS = { likely: 3_000, upper: MAX_WEB_CHARS / CHARS_PER_TOKEN.upper } as const satisfies Estimate
/** Bytes per token of a document that was not read yet. */
export const DOCUMENT_BYTES_PER_TOKEN = { likely: 12, upper: 3 } as const satisfies Estimate

export const IMAGE_TOKENS = { likely: 1_600, upper: 2_000 } as const satisfies Estimate
export const PIXELS_PER_TOKEN = 750
/** Tokens per second of audio or video that a model reads natively. `upper` is the highest count in the industry. */
export const SOUND_SECOND_TOKENS = { likely: 32, upper: 100 } as const satisfies Estimate
export const VIDEO_SECOND_TOKENS = { likely: 300, upper: 1_000 } as const satisfies Estimate
export const MAX_IMAGE_TOKENS = 50_000

export const INSTRUCTION_TOKENS = 200
export const DESCRIBED_IMAGE_TOKENS = {
  likely: IMAGE_TOKENS.likely + INSTRUCTION_TOKENS,
  upper: 8_192 + INSTRUCTION_TOKENS,
} as const satisfies Estimate
export const DESCRIPTION_TOKENS = { likely: 350, upper: 4_096 } as const satisfies Estimate
export const SPEECH_SECOND_TOKENS = 4

export const likelyTokens = (text: string): number => {
  const other = otherCharsOf(text)
  return Math.ceil((text.length - other) / CHARS_PER_TOKEN.likely + other * OTHER_CHAR.likely)
}

export const upperTokens = (text: string): number => {
  const other = otherCharsOf(text)
  return Math.ceil((text.length - other) / CHARS_PER_TOKEN.upper) + Math.ceil(other * OTHER_CHAR.upper)
}

function otherCharsOf(text: string): number {
  let other = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) other += 1
  return other
}

/**
 * Characters per token of English text or code, to reserve credit without a tokenizer. Bytes beyond the first of a
 * character count in addition: a CJK character is more than a token, an accented letter half of one.
 */
export const HELD_CHARS_PER_TOKEN = 3.5
export const HELD_TOKENS_PER_EXTRA_BYTE = 0.5
/**
 * Bounds of tokens in a stream: a longer delta counts as several tokens; shorter deltas on average may be less than
 * tokens.
 */
export const LONG_TOKEN_CHARS = 6
export const SHORT_TOKEN_CHARS = 3
export const MAX_CHARS_PER_TOKEN = 8

/** Source: API contract, augment.md and embeddings.md. */
const DOCUMENT_CHARS_PER_TOKEN = 3.2
const EMBEDDING_ALLOWANCE = 0.95

export const documentTokens = (chars: number): number => Math.ceil(chars / DOCUMENT_CHARS_PER_TOKEN)

export const embeddingTokens = (text: string): number =>
  Math.ceil((text.length / DOCUMENT_CHARS_PER_TOKEN) * EMBEDDING_ALLOWANCE)
