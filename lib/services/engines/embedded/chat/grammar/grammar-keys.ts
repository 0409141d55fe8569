/** Keys of an object beyond those that its schema names, as a grammar. Runs in the child process. */

/** What such a key is made of: nothing that could be written in two ways. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'
const MAX_KEY_CHARACTERS = 40
const REST = `[a-zA-Z0-9_]{0,${MAX_KEY_CHARACTERS}}`
/** Letters of names that are walked around. */
const MAX_LETTERS = 2_000

/** A key, as JSON, that is none of these names. Nothing when they are too many to tell apart. */
export function keysExcept(names: string[]): string | undefined {
  const others = names.filter((name) => name !== '' && [...name].every((letter) => ALPHABET.includes(letter)))
  if (others.join('').length > MAX_LETTERS) return undefined
  return `"\\"" ${others.length === 0 ? `[a-zA-Z0-9_] ${REST}` : unlike(others, false)} "\\""`
}

/** What may follow a beginning that these names share; `mayEnd` when the beginning is a key of its own. */
function unlike(ends: string[], mayEnd: boolean): string {
  const letters = [...new Set(ends.filter((end) => end !== '').map((end) => end[0]!))]
  const free = [...ALPHABET].filter((letter) => !letters.includes(letter)).join('')
  const parts = [
    ...(mayEnd ? ['""'] : []),
    ...(free === '' ? [] : [`[${free}] ${REST}`]),
    ...letters.map((letter) => {
      const rest = ends.filter((end) => end[0] === letter).map((end) => end.slice(1))
      return `"${letter}" ${unlike(rest, !rest.includes(''))}`
    }),
  ]
  return `( ${parts.join(' | ')} )`
}
