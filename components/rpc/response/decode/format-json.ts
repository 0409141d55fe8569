/** Whole lines of a formatted text, and the stretches within them that are better folded away. */
export type TextChunk = { text: string; folds: Int32Array }

export type FormatEnd = {
  lines: number
  /** For a line that opens a bracket, the line that closes it; 0 for the others. Both count from 1. */
  closers: Int32Array
  /** There was more than is ever shown. */
  isCut: boolean
}

const INDENT = 2
/** Deeper than this the lines are indented no further: a thousand brackets must not become megabytes of spaces. */
const MAX_INDENT_LEVELS = 32
const CHUNK_CHARS = 256 * 1024
/** The first chunk fills a screen; it is waited for. */
const FIRST_CHUNK_CHARS = 16 * 1024
/** No text is shown that is longer; it can still be downloaded. */
const MAX_CHARS = 32 * 1024 * 1024
const MAX_LINES = 2_000_000
/** A string that is longer is folded but for its two ends. */
const FOLD_CHARS = 1_024
const FOLD_HEAD_CHARS = 192
const FOLD_TAIL_CHARS = 32

const INDENTS = Array.from({ length: MAX_INDENT_LEVELS + 1 }, (_, level) => `\n${' '.repeat(level * INDENT)}`)
/** What ends a number or a word. */
const STOPS = new Set(['"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\r', '\t'])

/**
 * Indents JSON without reading it into values: every string and number stays as it is written, and numbers of any size
 * with it. Anything else than JSON comes out with its own characters in their own order too.
 */
export function* formatJson(text: string, from = 0, to = text.length): Generator<TextChunk, FormatEnd> {
  const closers: number[] = []
  const openLines: number[] = []
  let pieces: string[] = []
  let folds: number[] = []
  let length = 0
  let total = 0
  let line = 1
  let at = from

  const write = (piece: string) => {
    pieces.push(piece)
    length += piece.length
  }
  const breakLine = () => {
    write(INDENTS[Math.min(openLines.length, MAX_INDENT_LEVELS)]!)
    line += 1
  }
  const chunk = (): TextChunk => {
    const made = { text: pieces.join(''), folds: Int32Array.from(folds) }
    total += length
    pieces = []
    folds = []
    length = 0
    return made
  }

  for (; at < to && total + length < MAX_CHARS && line < MAX_LINES; at++) {
    const character = text[at]!
    switch (character) {
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break
      case '{':
      case '[': {
        write(character)
        const next = nextMark(text, at + 1, to)
        if (text[next] === (character === '{' ? '}' : ']') && next < to) {
          write(text[next]!)
          at = next
          break
        }
        openLines.push(line)
        breakLine()
        break
      }
      case '}':
      case ']': {
        const opener = openLines.pop()
        breakLine()
        if (opener !== undefined) closers[opener] = line
        write(character)
        break
      }
      case ',':
        write(character)
        // Only between lines, so that every chunk is whole lines.
        if (length >= (total === 0 ? FIRST_CHUNK_CHARS : CHUNK_CHARS)) yield chunk()
        breakLine()
        break
      case ':':
        write(': ')
        break
      case '"': {
        const end = endOfString(text, at, to)
        if (end - at > FOLD_CHARS) folds.push(length + FOLD_HEAD_CHARS, length + (end - at) - FOLD_TAIL_CHARS)
        write(text.slice(at, end))
        at = end - 1
        break
      }
      default: {
        let end = at + 1
        while (end < to && !STOPS.has(text[end]!)) end += 1
        write(text.slice(at, end))
        at = end - 1
      }
    }
  }
  const isCut = at < to && nextMark(text, at, to) < to
  if (length > 0 || total === 0) yield chunk()
  return { lines: line, closers: Int32Array.from({ length: line + 1 }, (_, index) => closers[index] ?? 0), isCut }
}

/** The next character that is no white space. */
function nextMark(text: string, start: number, to: number): number {
  let at = start
  while (at < to && ' \n\r\t'.includes(text[at]!)) at += 1
  return at
}

function endOfString(text: string, start: number, to: number): number {
  for (let at = start + 1; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22) return at + 1
  }
  return to
}
