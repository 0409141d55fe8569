import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { type ChildEnd, ChildRoom } from '@/lib/kernel/process-pool/pool'
import { ExtractionError, type ExtractionFailure } from './extraction-error'
import type { ParserJob, ParserResult } from './parser-protocol'

const PLACES = 2
const MAX_QUEUED = 32
const DOCUMENT_DEADLINE_MS = 20_000
const PAGE_DEADLINE_MS = 10_000
const MAX_RESIDENT_BYTES = 640 * 1024 * 1024
const MAX_HEAP_BYTES = 256 * 1024 * 1024
const IDLE_MS = 30_000

/** What a document did that gave no answer. The system kills processes for their memory. */
const FAILURES: Record<ChildEnd, ExtractionFailure> = {
  busy: 'busy',
  timeout: 'bomb',
  memory: 'bomb',
  killed: 'bomb',
  crash: 'corrupt',
  ended: 'corrupt',
}

type ParserRoom = ChildRoom<ParserJob, ParserResult, ExtractionFailure>

/** The processes in which documents and pages are read. What fails there is an ExtractionError. */
export function parserRoom(): ParserRoom {
  return perProcess('text-parser-room', () => createParserRoom())
}

/** @param entry another one in tests. */
export function createParserRoom(entry = 'services/documents/parser-worker.ts'): ParserRoom {
  return new ChildRoom<ParserJob, ParserResult, ExtractionFailure>({
    name: 'document',
    entry,
    // The picture library is native.
    hasAddons: true,
    places: PLACES,
    maxQueued: MAX_QUEUED,
    deadlineMsOf: ({ type }) => (type === 'page' ? PAGE_DEADLINE_MS : DOCUMENT_DEADLINE_MS),
    maxResidentBytes: MAX_RESIDENT_BYTES,
    maxHeapBytes: MAX_HEAP_BYTES,
    idleMs: IDLE_MS,
    errors: {
      refused: ({ reason, message }) => new ExtractionError(reason, { message }),
      unanswered: (end, cause) => new ExtractionError(FAILURES[end], { cause }),
    },
  })
}
