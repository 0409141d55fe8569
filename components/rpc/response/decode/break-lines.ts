import type { TextChunk } from '@/components/rpc/response/decode/format-json'

/** No line of a text is shown longer: a browser measures every letter of a line at once. */
export const LONGEST_LINE_CHARS = 1_024
const CHUNK_CHARS = 256 * 1024
const NO_FOLDS = new Int32Array()
const LINE_END = /\r\n?|\n/g

/** A text as it is, in lines that can be shown; says whether it had longer ones. */
export function* breakLines(text: string, from = 0, to = text.length): Generator<TextChunk, { isBroken: boolean }> {
  let isBroken = false
  let rows: string[] = []
  let length = 0
  const chunk = (): TextChunk => {
    const made = { text: rows.join('\n'), folds: NO_FOLDS }
    rows = []
    length = 0
    return made
  }
  for (let start = from, isFirst = true; start < to || isFirst; isFirst = false) {
    LINE_END.lastIndex = start
    const found = LINE_END.exec(text)
    const end = found && found.index < to ? found.index : to
    for (let at = start; at < end || at === start; ) {
      const cut = cutOf(text, at, end)
      if (length >= CHUNK_CHARS) {
        // A chunk is whole lines; the next one begins with the line end between the two.
        yield chunk()
        rows.push('')
      }
      rows.push(text.slice(at, cut))
      length += cut - at + 1
      if (cut < end) isBroken = true
      if (cut === at) break
      at = cut
    }
    start = end === to ? to : end + (found?.[0].length ?? 0)
    // The text ends with a line end: there is an empty line after it.
    if (start === to && end < to) rows.push('')
  }
  yield chunk()
  return { isBroken }
}

/** Where a line is cut, never between the two halves of one character. */
function cutOf(text: string, at: number, end: number): number {
  const cut = Math.min(end, at + LONGEST_LINE_CHARS)
  const code = text.charCodeAt(cut - 1)
  return cut < end && code >= 0xd800 && code < 0xdc00 ? cut - 1 : cut
}
