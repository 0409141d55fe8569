export const MAX_QUERY_CHARS = 400
const MAX_SOURCE_CHARS = 200_000
const FOLLOW_UP_WORDS = 6

const LEANING =
  /^(?:and|or|but|so|then|also|what about|how about|why|when|where|who|how come|really|und|oder|aber|warum|wann|wo|wer|et|ou|mais|pourquoi|y|o|pero|por qué|e|ma|perché)\b|\b(?:it|its|they|them|their|he|him|his|she|her|that|this|those|these|there|more|else|again|same|instead|one|ones|dort|das|davon|mehr|là|ça|plus|eso|allí|más)\b/iu

/**
 * Makes a search query: the latest text without code, quotations and line breaks, at most 400 characters; of a longer
 * text the question at its end or start. A short follow-up ("and in Spain?") is joined to the text before it.
 *
 * @param texts the user's texts, latest last.
 */
export function queryOf(texts: string[]): string {
  const latest = condensed(texts.at(-1) ?? '')
  const before = condensed(texts.at(-2) ?? '')
  if (before === '' || !isFollowUp(latest)) return cutAtWord(latest, MAX_QUERY_CHARS)
  const remaining = MAX_QUERY_CHARS - latest.length - 1
  return `${cutAtWord(before, remaining)} ${latest}`
}

export function cutAtWord(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const cut = text.slice(0, maxChars + 1)
  const space = cut.lastIndexOf(' ')
  // Half a surrogate pair is no character.
  return (space > 0 ? cut.slice(0, space) : text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')).trimEnd()
}

function isFollowUp(text: string): boolean {
  if (text.length > MAX_QUERY_CHARS / 4) return false
  const wordCount = text.split(' ').length
  return wordCount === 1 || (wordCount <= FOLLOW_UP_WORDS && LEANING.test(text))
}

function condensed(text: string): string {
  const source = text.slice(-MAX_SOURCE_CHARS)
  const own = withoutQuotes(source)
  const question = oneLine(own) === '' ? source : own
  const line = oneLine(question)
  return line.length <= MAX_QUERY_CHARS ? line : (questionOf(question, line) ?? line)
}

function questionOf(source: string, line: string): string | undefined {
  const paragraphs = source.split('\n').map(oneLine).filter(Boolean)
  const candidates = [paragraphs.at(-1) ?? '', paragraphs[0] ?? '', line]
  for (const text of candidates) {
    const question = lastQuestion(text)
    if (question === undefined) continue
    if (!isFollowUp(question)) return question
    // "Is that true?" asks about what was said before it.
    return `${cutAtWord(line, MAX_QUERY_CHARS - question.length - 1)} ${question}`
  }
  return undefined
}

function lastQuestion(text: string): string | undefined {
  const mark = [...text.matchAll(QUESTION_MARK)].at(-1)
  if (!mark) return undefined
  const end = mark.index + mark[0].length
  const start = [...text.slice(0, mark.index).matchAll(SENTENCE_END)].at(-1)
  const sentence = text.slice(start ? start.index + start[0].length : 0, end).trim()
  if (sentence.length <= MAX_QUERY_CHARS) return sentence
  const tail = sentence.slice(-MAX_QUERY_CHARS)
  return tail.slice(tail.indexOf(' ') + 1)
}

const QUESTION_MARK = /[？؟]|\?(?=["'”»)\]]*(?:\s|$))/gu
const SENTENCE_END = /[。！？؟]|[.!?…:](?=["'”»)\]]*\s)/gu

const oneLine = (text: string) => text.replace(/[\s\p{Cc}\p{Cf}`]+/gu, ' ').trim()

function withoutQuotes(text: string): string {
  const lines: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
    if (mark && (fence === '' || fence === mark)) fence = fence === '' ? mark : ''
    else if (fence === '' && !/^ {0,3}>/.test(line)) lines.push(line)
  }
  return lines.join('\n')
}

const MAX_SCAN_CHARS = 200_000
const MAX_URL_CHARS = 2_048

const END = String.raw`\s\p{Cc}\p{Cf}<>"\x60{}|\\^“”„«»‘。，、；：！？（）【】「」『』《》…`
/** Linear in the text: no alternatives inside a repetition. */
const ADDRESS = new RegExp(String.raw`https?:\/\/[^${END}'’\/?#]{1,255}(?:[\/?#][^${END}]{0,${MAX_URL_CHARS}})?`, 'giu')

const CLOSERS: Record<string, string> = { ')': '(', ']': '[' }
const TRAILING = /[.,;:!?'’*~([]$/

export function findUrls(text: string, limit: number): string[] {
  const found = new Set<string>()
  for (const match of text.slice(0, MAX_SCAN_CHARS).matchAll(ADDRESS)) {
    if (found.size >= limit) break
    const url = normalUrl(trimmed(match[0], text[match.index - 1]))
    if (url) found.add(url)
  }
  return [...found]
}

export function normalUrl(text: string): string | undefined {
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  if (url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href
}

function trimmed(match: string, before: string | undefined): string {
  let address = cutAtUnopened(match)
  const isEmphasis = before === '_'
  while (TRAILING.test(address) || (isEmphasis && address.endsWith('_'))) address = address.slice(0, -1)
  return address
}

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

/**
 * Control characters other than tab and line feed, and everything invisible: zero-width, bidi, tag and filler
 * characters. Emoji styles stay.
 */
const UNSEEN = /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
}

export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim()
}

const TAG_NAMES = [
  'think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|system|sys|inst|user|human|assistant|developer',
  'tools?|tool_?(?:calls?|responses?|results?|outputs?)|functions?|function_?(?:calls?|results?)|invoke|parameter',
  's|bos|eos|pad|unk|mask|sep|cls|eot_id|eom_id|(?:start|end)_(?:of_\\w{1,16}|header_id)|im_(?:start|end|sep)',
  'begin_of_text|end_of_text|endoftext|extra_id_\\d{1,4}',
].join('|')
const TAG = new RegExp(String.raw`<(?=\s?/?\s?(?:\w{1,16}:)?(?:${TAG_NAMES})(?:[\s>=/|]|$))`, 'giu')
const BARS = /<(?=\s?[|｜])/g
const REFERENCE = /\[(?=\s?\/?\s?ref(?![a-z]))/gi
const BRACKET =
  /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]{1,12}|ARGS|CALL_ID|THINK|IMG|AUDIO|DONE|SEP|CLS|MASK|UNK|PAD)\])/g
const HEADED_TURN = /^ ?#[# ]*(?=(?:system|user|human|assistant|instructions?|response|input|output)\b)/gim
const TURN = /^( ?(?:\*\*)?(?:system|user|human|assistant|developer)(?:\*\*)?) ?:/gim
const FENCE = /^ ?--[- ]*(?=source|end)/gim

/**
 * Makes outside text safe for a prompt: nothing invisible, and nothing that a chat template or a reader of thoughts,
 * calls or citations would take for its own mark.
 */
export function harmless(text: string): string {
  return visible(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n\s*\n/g, '\n\n')
    .replace(HEADED_TURN, '')
    .replace(TURN, '$1 -')
    .replace(FENCE, '')
    .replace(BARS, '‹')
    .replace(TAG, '‹')
    .replace(REFERENCE, '(')
    .replace(BRACKET, '(')
}
