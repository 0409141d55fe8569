/** Characters that change how the rest of a line reads, or that nobody sees. */
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029\ufff9-\ufffb]/gu
const LONGEST_CHARS = 4_000

/**
 * Text of a stranger as it can be shown: characters without a shape of their own, and those that turn the direction of
 * the text around, stand as their code.
 */
export function visibleText(text: string): string {
  const shown = text.length > LONGEST_CHARS ? `${text.slice(0, LONGEST_CHARS)}…` : text
  return shown
    .toWellFormed()
    .replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16).padStart(4, '0')}}`)
}
