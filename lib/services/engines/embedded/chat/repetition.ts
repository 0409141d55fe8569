/** A model that has lost the thread says the same again and again: a phrase of at most this many tokens … */
const LONGEST_PHRASE = 12
/** … this often in a row. People say a word three times, and hardly ever a phrase four times. */
const TIMES = 4
/** A single token is a syllable at most, and "ha ha ha ha ha" is speech. */
const TIMES_ALONE = 8

/**
 * Where the useful part of `tokens` ends if they end in a repetition: after its first time. Nothing when they do not.
 * To be asked after each token.
 */
export function repetitionStart(tokens: readonly number[]): number | undefined {
  for (let length = 1; length <= LONGEST_PHRASE; length++) {
    const span = length * (length === 1 ? TIMES_ALONE : TIMES)
    const start = tokens.length - span
    if (start < 0) continue
    if (isRepeated(tokens, start, length)) return start + length
  }
  return undefined
}

function isRepeated(tokens: readonly number[], start: number, length: number): boolean {
  for (let index = start + length; index < tokens.length; index++) {
    if (tokens[index] !== tokens[index - length]) return false
  }
  return true
}
