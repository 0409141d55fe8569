const MAX_CHARACTERS = 300
/** What is looked at: more than is kept, for what is taken out is long. */
const MAX_LOOKED_AT = 1_200
const MAX_WORD_CHARACTERS = 40

/** Words that are nobody's business: addresses, accounts, credentials. Each is tested on a short word only. */
const PRIVATE = [
  /:\/\//,
  /@[^@]*\./,
  /\b(sk|pk|rk|org|key|proj|acct)[-_]\w/i,
  /\b(api[-_]?key|token|secret|password|authorization)["']?[:=]./i,
  /\d+\.\d+\.\d+\.\d+/,
  /:[\da-f]*:[\da-f]*:/i,
  /\.[a-z]{2,}:\d/i,
  /\blocalhost\b/i,
  /\/.*\/.*\//,
]
/** After these words comes a credential. */
const ANNOUNCES = /(bearer|basic|(api[-_]?key|token|secret|password|authorization)["']?[:=])$/i

/**
 * An upstream's words, safe to show to a caller: `secrets` and words that look like an address or a credential, or are
 * too long for a word, become "…"; controls and runs of blanks one blank; the end is cut.
 */
export function cleanMessage(text: string, secrets: string[]): string {
  let plain = text
  for (const secret of secrets) if (secret !== '') plain = plain.replaceAll(secret, '…')
  let before = ''
  const words: string[] = []
  for (const word of plain.slice(0, MAX_LOOKED_AT).split(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/u)) {
    if (word === '') continue
    words.push(isPrivate(word) || ANNOUNCES.test(before) ? '…' : word)
    before = word.slice(-MAX_WORD_CHARACTERS)
  }
  const clean = words.join(' ')
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}…` : clean
}

const isPrivate = (word: string): boolean =>
  word.length > MAX_WORD_CHARACTERS || PRIVATE.some((pattern) => pattern.test(word))
