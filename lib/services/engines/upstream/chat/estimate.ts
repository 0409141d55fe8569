/** Characters a token of English text or code has, on the low side, so that the estimate is on the high side. */
const CHARACTERS_PER_TOKEN = 3.5
/** What each byte beyond the first of a character adds: a CJK character is more than a token, an accented letter half of one. */
const TOKENS_PER_EXTRA_BYTE = 0.5

/**
 * Tokens of a text without a tokenizer: an upper estimate for usual text of any script, linear in its length. Real
 * tokenizers need about 4 characters of English a token, 3 of code, and 0.7 to 1.3 tokens a CJK character.
 */
export function estimateTokens(text: string): number {
  const extraBytes = Buffer.byteLength(text) - text.length
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN + extraBytes * TOKENS_PER_EXTRA_BYTE)
}
