import { MAX_WEB_CHARS } from '@/lib/contract/limits'

/**
 * Tokens before anybody has counted them. `likely` is for a price that is shown, `upper` for a cap that is kept and credit
 * that is set aside.
 */
type Estimate = { likely: number; upper: number }

/** Characters of English in a token: the true figure is near four. */
export const CHARS_PER_TOKEN = { likely: 4, upper: 3 } as const satisfies Estimate
/** Tokens of a character of another script. */
const OTHER_CHAR = { likely: 1, upper: 1.5 } as const satisfies Estimate
/** What a chat template adds to each message. */
export const MESSAGE_TOKENS = { likely: 6, upper: 8 } as const satisfies Estimate
/** What the service says to every model first. */
export const SERVICE_PROMPT_TOKENS = 48
/** What was found on the web, as it is put before the model. */
export const WEB_TOKENS = { likely: 3_000, upper: MAX_WEB_CHARS / CHARS_PER_TOKEN.upper } as const satisfies Estimate
/** Bytes of a document in a token, where nobody has looked into it. */
export const DOCUMENT_BYTES_PER_TOKEN = { likely: 12, upper: 3 } as const satisfies Estimate

/** An image whose size is not known. Where it is, a token is so many pixels. */
export const IMAGE_TOKENS = { likely: 1_600, upper: 2_000 } as const satisfies Estimate
export const PIXELS_PER_TOKEN = 750
/** A second of sound and of video, as models take them by themselves. `upper`: the highest count of the field. */
export const SOUND_SECOND_TOKENS = { likely: 32, upper: 100 } as const satisfies Estimate
export const VIDEO_SECOND_TOKENS = { likely: 300, upper: 1_000 } as const satisfies Estimate
/** The highest count of the field for one image. */
export const MAX_IMAGE_TOKENS = 50_000

/** What another model is told to describe an image, what it reads with the image, and what it writes of it. */
export const INSTRUCTION_TOKENS = 200
export const DESCRIBED_IMAGE_TOKENS = {
  likely: IMAGE_TOKENS.likely + INSTRUCTION_TOKENS,
  upper: 8_192 + INSTRUCTION_TOKENS,
} as const satisfies Estimate
export const DESCRIPTION_TOKENS = { likely: 350, upper: 4_096 } as const satisfies Estimate
/** A second of speech that was written down. */
export const SPEECH_SECOND_TOKENS = 4

/** About how many tokens a text has: the middle of what tokenizers say. */
export const likelyTokens = (text: string): number => {
  const other = otherCharsOf(text)
  return Math.ceil((text.length - other) / CHARS_PER_TOKEN.likely + other * OTHER_CHAR.likely)
}

/** How many tokens a text has at most, on the high side of every script. */
export const upperTokens = (text: string): number => {
  const other = otherCharsOf(text)
  return Math.ceil((text.length - other) / CHARS_PER_TOKEN.upper) + Math.ceil(other * OTHER_CHAR.upper)
}

/** Characters outside ASCII. */
function otherCharsOf(text: string): number {
  let other = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) other += 1
  return other
}

/**
 * Characters in a token of English text or code where credit is set aside and no tokenizer is at hand, and what each byte
 * beyond the first of a character adds: a CJK character is more than a token, an accented letter half of one.
 */
export const HELD_CHARS_PER_TOKEN = 3.5
export const HELD_TOKENS_PER_EXTRA_BYTE = 0.5
/**
 * Of an answer that passes by: a token can hardly be longer, so a delta of more characters counts as several; and deltas of
 * fewer characters on average may be less than tokens.
 */
export const LONG_TOKEN_CHARS = 6
export const SHORT_TOKEN_CHARS = 3
/** No text has more characters to a token on average. */
export const MAX_CHARS_PER_TOKEN = 8

/** Characters in a token of a document or of a text to embed. Source: API contract, augment.md and embeddings.md. */
const DOCUMENT_CHARS_PER_TOKEN = 3.2
const EMBEDDING_ALLOWANCE = 0.95

/** What `/augment/text-parser` tells of a document. */
export const documentTokens = (chars: number): number => Math.ceil(chars / DOCUMENT_CHARS_PER_TOKEN)

/** What a text to embed is checked against, where the engine does not count beforehand. */
export const embeddingTokens = (text: string): number =>
  Math.ceil((text.length / DOCUMENT_CHARS_PER_TOKEN) * EMBEDDING_ALLOWANCE)
