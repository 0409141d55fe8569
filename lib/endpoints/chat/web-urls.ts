/** Text that is looked through for addresses, and the longest address. Characters. */
const MAX_SCAN_CHARS = 200_000
const MAX_URL_CHARS = 2_048

/** What ends an address in running text: white space, invisible characters, quotes, angle brackets, East Asian marks. */
const END = String.raw`\s\p{Cc}\p{Cf}<>"\x60{}|\\^“”„«»‘。，、；：！？（）【】「」『』《》…`
/** One class after another and no alternatives inside a repetition: time grows with the text and not faster. */
const ADDRESS = new RegExp(String.raw`https?:\/\/[^${END}'’\/?#]{1,255}(?:[\/?#][^${END}]{0,${MAX_URL_CHARS}})?`, 'giu')

const CLOSERS: Record<string, string> = { ')': '(', ']': '[' }
const TRAILING = /[.,;:!?'’*~([]$/

/**
 * The http and https addresses in free text or Markdown, in order and without repeats, as a browser would open them
 * (names in other scripts as punycode, no fragment). Addresses that carry a password are left out.
 */
export function findUrls(text: string, limit: number): string[] {
  const found = new Set<string>()
  for (const match of text.slice(0, MAX_SCAN_CHARS).matchAll(ADDRESS)) {
    if (found.size >= limit) break
    const url = normalUrl(trimmed(match[0], text[match.index - 1]))
    if (url) found.add(url)
  }
  return [...found]
}

/** An address in its normal form, or nothing where it is none that a page could have. */
export function normalUrl(text: string): string | undefined {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  if (url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href
}

/** Without the sentence around it: `(see https://a.example/b_(c)).` holds `https://a.example/b_(c)`. */
function trimmed(match: string, before: string | undefined): string {
  let address = cutAtUnopened(match)
  const isEmphasis = before === '_'
  while (TRAILING.test(address) || (isEmphasis && address.endsWith('_'))) address = address.slice(0, -1)
  return address
}

/** A bracket that closes what the address did not open belongs to the text around it, and so does what follows. */
function cutAtUnopened(text: string): string {
  const open: Record<string, number> = { '(': 0, '[': 0 }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char in open) open[char]! += 1
    const opener = CLOSERS[char]
    if (opener && --open[opener]! < 0) return text.slice(0, at)
  }
  return text
}
