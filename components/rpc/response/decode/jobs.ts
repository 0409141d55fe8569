import { type DecodedRequest, type DecodeOptions, decodeReply } from '@/components/rpc/response/decode/decode'
import type { DecodedReply } from '@/components/rpc/response/decode/decoded'
import {
  type FormatEnd,
  formatJson,
  type Json,
  looksLikeJson,
  openReply,
  type Reply,
  readJson,
  scanJson,
  type TextChunk,
  TOO_DEEP,
} from '@/components/rpc/response/decode/json'

// A browser measures every letter of a line at once.
export const MAX_LINE_CHARS = 1_024
const CHUNK_CHARS = 256 * 1024
const NO_FOLDS = new Int32Array()
const LINE_END = /\r\n?|\n/g

export type Opening = { text: string; request: DecodedRequest }

// On the reply that was opened last, away from the page.
export type Job =
  | ({ kind: 'open' } & Opening)
  | { kind: 'scan' }
  | { kind: 'pretty'; item?: number }
  | { kind: 'raw'; item?: number }
  | ({ kind: 'decode' } & DecodeOptions)
  | { kind: 'compare'; a: string; b: string }

export type TextEnd = { isBroken: boolean; isCut: boolean; closers?: Int32Array }

export type JobResult = {
  open: undefined
  scan: Reply
  pretty: TextEnd
  raw: TextEnd
  decode: DecodedReply
  compare: Comparison
}

const MAX_RAW_CHARS = 32 * 1024 * 1024
const NOTHING: Opening = { text: '', request: { network: 'ethereum-mainnet', calls: [] } }

let opened = NOTHING
let scanned: Reply | undefined

export function runJob(job: Job, onChunk: (chunk: TextChunk) => void): JobResult[Job['kind']] {
  switch (job.kind) {
    case 'open':
      opened = job
      scanned = undefined
      return undefined
    case 'scan':
      return reply()
    case 'compare':
      return compareTexts(job.a, job.b)
    case 'decode':
      return decodeReply(opened.text, reply(), opened.request, job)
    case 'pretty': {
      if (!looksLikeJson(opened.text)) return run(rawOf(job.item), onChunk)
      const { from, to } = rangeOf(job.item)
      const { closers, isCut } = run<FormatEnd>(formatJson(opened.text, from, to), onChunk)
      return { closers, isCut, isBroken: false }
    }
    case 'raw':
      return run(rawOf(job.item), onChunk)
  }
}

// Scanned on first use: the text is on screen sooner.
function reply(): Reply {
  scanned ??= openReply(opened.text, opened.request.calls.length)
  return scanned
}

function* rawOf(item: number | undefined): Generator<TextChunk, TextEnd> {
  const { from, to } = rangeOf(item)
  const end = Math.min(to, from + MAX_RAW_CHARS)
  const { isBroken } = yield* breakLines(opened.text, from, end)
  return { isBroken, isCut: end < to }
}

function rangeOf(item: number | undefined): { from: number; to: number } {
  const found = item === undefined ? undefined : reply().items[item]
  return found ? { from: found.start, to: found.end } : { from: 0, to: opened.text.length }
}

function run<End>(text: Generator<TextChunk, End>, onChunk: (chunk: TextChunk) => void): End {
  for (;;) {
    const next = text.next()
    if (next.done) return next.value
    onChunk(next.value)
  }
}

/** Yields a text as it is, in lines that can be shown; returns whether it had longer ones. */
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

// Never cuts between the halves of a surrogate pair.
function cutOf(text: string, at: number, end: number): number {
  const cut = Math.min(end, at + MAX_LINE_CHARS)
  const code = text.charCodeAt(cut - 1)
  return cut < end && code >= 0xd800 && code < 0xdc00 ? cut - 1 : cut
}

export type Comparison = { a: string; b: string; firstLine: number; isSame: boolean; isCut: boolean }

const MAX_COMPARED_LINES = 2_000
const LINES_AROUND = 3
const MAX_COMPARED_LINE_CHARS = 600
const LINE_HEAD_CHARS = 300
const LINE_TAIL_CHARS = 100
const MAX_COMPARED_CHARS = 20 * 1024 * 1024

/** Compares two replies as JSON: indented alike, with sorted names. */
export function compareTexts(a: string, b: string): Comparison {
  const [linesA, linesB] = [linesOf(a), linesOf(b)]
  const shorter = Math.min(linesA.length, linesB.length)
  let before = 0
  while (before < shorter && linesA[before] === linesB[before]) before += 1
  const isSame = before === linesA.length && before === linesB.length
  let after = 0
  while (after < shorter - before && linesA.at(-1 - after) === linesB.at(-1 - after)) after += 1
  const first = isSame ? 0 : Math.max(0, before - LINES_AROUND)
  const part = (lines: string[]) => lines.slice(first, isSame ? undefined : lines.length - after + LINES_AROUND)
  const [partA, partB] = [part(linesA), part(linesB)]
  return {
    a: partA.slice(0, MAX_COMPARED_LINES).map(short).join('\n'),
    b: partB.slice(0, MAX_COMPARED_LINES).map(short).join('\n'),
    firstLine: first + 1,
    isSame,
    isCut: Math.max(partA.length, partB.length) > MAX_COMPARED_LINES,
  }
}

function linesOf(text: string): string[] {
  const isReadable = text.length <= MAX_COMPARED_CHARS && scanJson(text).isJson
  if (!isReadable) return text.slice(0, MAX_COMPARED_CHARS).split(/\r\n?|\n/)
  const lines: string[] = []
  print(readJson(text), '', '', '', lines)
  return lines
}

function print(value: Json, indent: string, before: string, after: string, lines: string[]): void {
  const isList = Array.isArray(value)
  if (!isList && (typeof value !== 'object' || value === null)) {
    lines.push(`${indent}${before}${printWord(value)}${after}`)
    return
  }
  const [open, close] = isList ? '[]' : '{}'
  const entries: [name: string, value: Json][] = isList
    ? value.map((one) => ['', one])
    : Object.keys(value)
        .sort()
        .map((name) => [`${JSON.stringify(name)}: `, value[name]!])
  if (entries.length === 0) {
    lines.push(`${indent}${before}${open}${close}${after}`)
    return
  }
  lines.push(`${indent}${before}${open}`)
  for (const [index, [name, one]] of entries.entries()) {
    print(one, `${indent}  `, name, index < entries.length - 1 ? ',' : '', lines)
  }
  lines.push(`${indent}${close}${after}`)
}

function printWord(value: Exclude<Json, object>): string {
  if (value === TOO_DEEP) return '…'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

// To its ends and a checksum of all of it, so that a difference in the middle still shows.
function short(line: string): string {
  if (line.length <= MAX_COMPARED_LINE_CHARS) return line
  let sum = 0x811c9dc5
  for (let at = 0; at < line.length; at++) sum = Math.imul(sum ^ line.charCodeAt(at), 0x01000193)
  const mark = (sum >>> 0).toString(16).padStart(8, '0')
  return `${line.slice(0, LINE_HEAD_CHARS)} … ${line.length.toLocaleString('en')} characters, sum ${mark} … ${line.slice(-LINE_TAIL_CHARS)}`
}
