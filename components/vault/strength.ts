/** Fewer are not taken. */
const MIN_PASSPHRASE_CHARS = 8
/** Bits that a guess by a machine takes long for, with the cost of each guess, and those that last. */
const FAIR_BITS = 45
const STRONG_BITS = 70

const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u]

/** A rough measure: how many characters, how many different ones, how many kinds. Words that are known are not looked up. */
export function strengthOf(passphrase: string): 'short' | 'weak' | 'fair' | 'strong' {
  if (passphrase.length < MIN_PASSPHRASE_CHARS) return 'short'
  const different = new Set(passphrase).size
  const kinds = KINDS.filter((kind) => kind.test(passphrase)).length
  const bits = Math.min(passphrase.length, different * 2) * (2.2 + kinds * 0.7)
  if (bits < FAIR_BITS) return 'weak'
  return bits < STRONG_BITS ? 'fair' : 'strong'
}
