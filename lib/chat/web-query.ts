/** What a search is asked, at most, and how much of a text is looked at to make it. Characters. */
export const MAX_QUERY_CHARS = 400
const MAX_SOURCE_CHARS = 20_000
/** A question of at most this many words that points back at the one before is searched together with it. */
const FOLLOW_UP_WORDS = 6

/** Words by which a short text leans on what was said before. */
const LEANING =
  /^(?:and|or|but|so|then|also|what about|how about|why|when|where|who|how come|really|und|oder|aber|warum|wann|wo|wer|et|ou|mais|pourquoi|y|o|pero|por qué|e|ma|perché)\b|\b(?:it|its|they|them|their|he|him|his|she|her|that|this|those|these|there|more|else|again|same|instead|one|ones|dort|das|davon|mehr|là|ça|plus|eso|allí|más)\b/iu

/**
 * What to search for, from what the user wrote: the latest text without code, quotations and line breaks, at most
 * 400 characters. A short follow-up ("and in Spain?") is joined to the text before it.
 *
 * @param texts the user's texts, latest last.
 */
export function queryOf(texts: string[]): string {
  const latest = condensed(texts.at(-1) ?? '')
  const before = condensed(texts.at(-2) ?? '')
  if (before === '' || !isFollowUp(latest)) return cutAtWord(latest, MAX_QUERY_CHARS)
  const room = MAX_QUERY_CHARS - latest.length - 1
  return `${cutAtWord(before, room)} ${latest}`
}

/** At most so many characters, ending with a whole word where there is one. */
export function cutAtWord(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const cut = text.slice(0, maxChars + 1)
  const space = cut.lastIndexOf(' ')
  // Half a surrogate pair is no character.
  return (space > 0 ? cut.slice(0, space) : text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')).trimEnd()
}

function isFollowUp(text: string): boolean {
  if (text.length > MAX_QUERY_CHARS / 4) return false
  const words = text.split(' ').length
  return words === 1 || (words <= FOLLOW_UP_WORDS && LEANING.test(text))
}

/** One line of what the user says in words of their own; the whole text where that leaves nothing. */
function condensed(text: string): string {
  const source = text.slice(0, MAX_SOURCE_CHARS)
  return oneLine(ownWords(source)) || oneLine(source)
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}\p{Cf}`]+/gu, ' ').trim()

/** Without fenced code (also where the fence is never closed) and lines quoted with `>`. */
function ownWords(text: string): string {
  const kept: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
    if (mark && (fence === '' || fence === mark)) fence = fence === '' ? mark : ''
    else if (fence === '' && !/^ {0,3}>/.test(line)) kept.push(line)
  }
  return kept.join('\n')
}
