/**
 * Tokens of a text as the embedded models count them, estimated without their vocabularies (which live in other
 * processes), in one pass. Measured against both, it says 1.0 to 1.9 times the true number for English prose, code,
 * tables and JSON. Other languages lie between 0.9 and 5: one of the two models has their words, the other spells them
 * in bytes. Random letters may be half as much again as it says. The marks of the chat template, about 5 tokens a
 * message and 15 for a system prompt of the template's own, are not in it.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const character of text) tokens += weightOf(character.codePointAt(0)!)
  return Math.ceil(tokens)
}

const LOWER_CASE = 0.45
const UPPER_CASE = 0.85
const SPACE = 0.1
const IDEOGRAPH = 1.45
const KANA = 1.7

function weightOf(codePoint: number): number {
  if (codePoint === 0x20) return SPACE
  if (codePoint >= 0x61 && codePoint <= 0x7a) return LOWER_CASE
  if (codePoint >= 0x41 && codePoint <= 0x5a) return UPPER_CASE
  // Digits, punctuation and line breaks are tokens of their own.
  if (codePoint < 0x80) return 1
  if (codePoint >= 0x4e00 && codePoint <= 0x9fff) return IDEOGRAPH
  if (codePoint >= 0x3040 && codePoint <= 0x30ff) return KANA
  // Spelled in the bytes of UTF-8.
  return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4
}
