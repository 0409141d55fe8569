import { breakLines } from '@/components/rpc/response/decode/break-lines'
import { type Comparison, compareTexts } from '@/components/rpc/response/decode/compare'
import { type Asked, type DecodeOptions, decodeReply } from '@/components/rpc/response/decode/decode'
import type { DecodedReply } from '@/components/rpc/response/decode/decoded'
import { type FormatEnd, formatJson, type TextChunk } from '@/components/rpc/response/decode/format-json'
import { looksLikeJson, openReply, type Reply } from '@/components/rpc/response/decode/reply'

/** A reply, and the question that it answers. */
export type Opening = { text: string; asked: Asked }

/** What is done with the reply that was opened last, away from the page. */
export type Job =
  | ({ kind: 'open' } & Opening)
  | { kind: 'scan' }
  | { kind: 'pretty'; item?: number }
  | { kind: 'raw'; item?: number }
  | ({ kind: 'decode' } & DecodeOptions)
  | { kind: 'compare'; a: string; b: string }

/** How a text ends: `isBroken` when lines were too long to show. */
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
const NOTHING: Opening = { text: '', asked: { network: 'ethereum-mainnet', calls: [] } }

let opened = NOTHING
let scanned: Reply | undefined

/** Does a job; a text comes in chunks first. */
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
      return decodeReply(opened.text, reply(), opened.asked, job)
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

/** Found when it is first needed: the text is on screen sooner. */
function reply(): Reply {
  scanned ??= openReply(opened.text, opened.asked.calls.length)
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
