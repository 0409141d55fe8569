/** Characters of English in a token. */
const PLAIN_CHARS_PER_TOKEN = 4
/** Other scripts take about a token for a character. */
const TOKENS_PER_OTHER_CHAR = 1

/** About how many tokens a text has: the middle of what tokenizers say, where `promptTokens` is on the high side. */
export function likelyTokens(text: string): number {
  let other = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) other += 1
  return Math.ceil((text.length - other) / PLAIN_CHARS_PER_TOKEN + other * TOKENS_PER_OTHER_CHAR)
}
