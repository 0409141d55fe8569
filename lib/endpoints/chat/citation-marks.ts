/** Characters between `[REF]` and `[/REF]`; a mark that is not closed within them is none. */
const MAX_BODY_CHARS = 40
/** Characters of the short form `[REF 0, 1]` after its name. */
const MAX_SHORT_CHARS = 24

const OPEN = '[ref'
const CLOSE = '[/ref'
const WHOLE_CLOSE = '[/ref]'

/**
 * The next piece of a text: `length` characters of it, and what they are: plain text, or a mark that cites these numbers
 * (none: a mark that means nothing).
 */
export type Piece = { length: number; cites?: number[] }

/**
 * Reads the piece at a place. What it says of a character depends on the text up to the end of the piece only, so it
 * makes no difference how much of the text has arrived.
 *
 * @param isEnd nothing comes any more.
 * @returns nothing while more text is needed to tell.
 */
export function readPiece(text: string, at: number, isEnd: boolean): Piece | undefined {
  if (text[at] !== '[') {
    const next = text.indexOf('[', at)
    return { length: (next < 0 ? text.length : next) - at }
  }
  const name = text[at + 1] === '/' ? CLOSE : OPEN
  const same = commonLength(text, at, name)
  if (at + same === text.length) return isEnd ? halfMark(same, name) : undefined
  if (same < name.length) return { length: same }
  const after = at + name.length
  if (text[after] === ']') return name === CLOSE ? { length: WHOLE_CLOSE.length, cites: [] } : readBody(text, at, isEnd)
  return name === CLOSE ? looseEnd(text[after]!) : readShort(text, at, isEnd)
}

/** `[/REFORM` is text. Else the half is taken out: with what comes later it might read as a mark. */
function looseEnd(next: string): Piece {
  return /[\p{L}\p{N}_-]/u.test(next) ? { length: CLOSE.length } : { length: CLOSE.length, cites: [] }
}

/** The end of the text within the name of a mark. A bracket alone is text; of more, nothing is shown. */
function halfMark(length: number, name: string): Piece {
  return length < name.indexOf('r') + 1 ? { length } : { length, cites: [] }
}

/** `[REF]0[/REF]` and what models make of it: `[REF] 0, 1 [/REF]`, `[REF]source 0[/REF]`, `[REF]0` without an end. */
function readBody(text: string, at: number, isEnd: boolean): Piece | undefined {
  const from = at + OPEN.length + 1
  for (let end = from; end - from <= MAX_BODY_CHARS; end++) {
    if (end === text.length) return isEnd ? unclosed(text, at, end) : undefined
    if (text[end] === '\n') return unclosed(text, at, end)
    if (text[end] !== '[') continue
    const same = commonLength(text, end, WHOLE_CLOSE)
    if (same === WHOLE_CLOSE.length) return { length: end + same - at, cites: numbersIn(text.slice(from, end)) }
    if (end + same === text.length && !isEnd) return undefined
    return unclosed(text, at, end)
  }
  return unclosed(text, at, from + MAX_BODY_CHARS)
}

/** Without an end, the numbers right behind the beginning are what is cited, and the rest is text. */
function unclosed(text: string, at: number, end: number): Piece {
  const from = at + OPEN.length + 1
  const numbers = /^\s?\d+(?:, ?\d+)*/.exec(text.slice(from, end))?.[0] ?? ''
  return { length: from + numbers.length - at, cites: numbersIn(numbers) }
}

/** `[REF 0]`, `[REF:0, 1]`, `[REF0]`. `[REFUND]` is text; a half before another bracket is taken out, as a loose end is. */
function readShort(text: string, at: number, isEnd: boolean): Piece | undefined {
  const from = at + OPEN.length
  for (let end = from; end - from <= MAX_SHORT_CHARS; end++) {
    const char = text[end]
    if (char === undefined) return isEnd ? { length: end - at, cites: [] } : undefined
    if (char === ']') return { length: end + 1 - at, cites: numbersIn(text.slice(from, end)) }
    if (char === '[') return { length: end - at, cites: [] }
    if (!/[\d ,;:#&]/.test(char)) return { length: end - at }
  }
  return { length: OPEN.length + MAX_SHORT_CHARS }
}

/** The numbers that a mark's inside lists; none where it holds anything else. */
function numbersIn(inside: string): number[] {
  const listed = inside
    .toLowerCase()
    .replace(/\b(?:sources?|refs?|and)\b|[#:&;,\s]+/g, ' ')
    .replace(/(\d) ?[-–] ?(?=\d)/g, '$1 ')
  if (!/^[\d ]*$/.test(listed)) return []
  return [...new Set(listed.split(' ').filter(Boolean).map(Number))]
}

/** How many characters the text at a place has in common with a name, whatever their case. */
function commonLength(text: string, at: number, name: string): number {
  let length = 0
  while (length < name.length && text[at + length]?.toLowerCase() === name[length]) length++
  return length
}
