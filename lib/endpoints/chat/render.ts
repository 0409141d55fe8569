import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { createChunkWriter, renderCompletion } from '@/lib/endpoints/chat/completion'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { AnswerEvent, ChatRun } from '@/lib/endpoints/chat/run'
import { createIdleTimeout, type IdleTimeout, TIMED_OUT } from '@/lib/kernel/deadlines'
import type { RequestContext } from '@/lib/kernel/request-context'
import { KEEP_ALIVE_MS, SSE_DONE, SSE_PING, sseFrame } from '@/lib/kernel/sse'
import { streamError, toApiError } from '@/lib/pipeline/error-response'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { type Meter, noteLeft, type Receipt } from '@/lib/services/ledger/meter'

export function renderChat(run: ChatRun, work: ChatWork, meter: Meter, context: RequestContext): Promise<Reply> {
  return deliver(run, work, meter, context, {
    whole: (events, receipt) => renderCompletion(events, run, work, receipt),
    stream() {
      const chunks = createChunkWriter(work, () => run.model)
      return {
        write: chunks.write,
        end: (receipt) => `${work.includesUsage ? chunks.usage(run.counter.usage(), receipt, run) : ''}${SSE_DONE}`,
        fail: (error) => sseFrame(streamError(error)) + SSE_DONE,
      }
    },
  })
}

/** Deadline of an answer that is sent whole. Source: API contract 15. */
const WHOLE_DEADLINE_MS = 120_000

const BURST_MS = 2
const MAX_WRITE_CHARS = 65_536

const SSE_HEADERS = { 'Cache-Control': 'no-cache, no-transform' }
const PING = Buffer.from(SSE_PING)
const noop = () => {}

type Batch = IteratorResult<AnswerEvent[], unknown>
type Ahead = { pending: Promise<Batch> | undefined; at: number }

type AnswerForm = {
  whole(events: AnswerEvent[], receipt: Receipt | undefined): unknown
  stream(): StreamWriter
}

type StreamWriter = {
  write(events: AnswerEvent[]): string
  end(receipt: Receipt | undefined): string
  fail(error: ApiError): string
}

export function deliver(
  run: ChatRun,
  work: ChatWork,
  meter: Meter,
  context: RequestContext,
  form: AnswerForm,
): Promise<Reply> {
  return work.isStreaming ? renderStream(run, meter, context, form) : renderWhole(run, meter, context, form)
}

async function renderWhole(run: ChatRun, meter: Meter, context: RequestContext, form: AnswerForm): Promise<Reply> {
  const events: AnswerEvent[] = []
  const idleTimeout = createIdleTimeout(WHOLE_DEADLINE_MS, { isRenewed: false })
  try {
    while (true) {
      const next = await idleTimeout.race(nextBatch(run))
      if (next === TIMED_OUT) throw tooSlow()
      if (next.done) break
      events.push(...next.value)
    }
  } finally {
    idleTimeout.end()
    // Not awaited: an engine that hangs must not hold the answer back that says so.
    run.batches.return(undefined).catch(noop)
  }
  const receipt = await book(meter, context)
  note(run, context)
  return jsonReply(form.whole(events, receipt), { isCompressible: true })
}

/**
 * Waits for the first event before the reply begins, so that an immediate failure has its own status. A silent engine
 * gets headers and keep-alive comments, and later failures become a frame.
 */
async function renderStream(run: ChatRun, meter: Meter, context: RequestContext, form: AnswerForm): Promise<Reply> {
  const pending = nextBatch(run)
  const idleTimeout = createIdleTimeout(KEEP_ALIVE_MS, { isRenewed: true })
  try {
    await idleTimeout.race(pending)
  } catch (error) {
    idleTimeout.end()
    throw error
  }
  return {
    body: frames(pending, run, meter, context, form.stream(), idleTimeout),
    contentType: 'text/event-stream; charset=utf-8',
    headers: SSE_HEADERS,
    // A reader that never came leaves the generators as they stand; this lets them close what they hold. Not awaited: an
    // engine that does not hear must not keep the books open.
    onEnd() {
      idleTimeout.end()
      run.batches.return(undefined).catch(noop)
    },
  }
}

async function* frames(
  first: Promise<Batch>,
  run: ChatRun,
  meter: Meter,
  context: RequestContext,
  writer: StreamWriter,
  idleTimeout: IdleTimeout,
): AsyncGenerator<Uint8Array> {
  const ahead: Ahead = { pending: first, at: 0 }
  try {
    while (true) {
      ahead.pending ??= nextBatch(run)
      const next = await idleTimeout.race(ahead.pending)
      if (next === TIMED_OUT) {
        yield PING
        continue
      }
      if (next.done) break
      ahead.pending = undefined
      const text = await gather(next.value, run, writer, ahead)
      if (text !== '') yield Buffer.from(text)
    }
    note(run, context)
    // Booked also when the caller did not ask for the usage chunk: the answer ends when its price stands in the ledger.
    const receipt = await book(meter, context)
    yield Buffer.from(writer.end(receipt))
  } catch (thrown) {
    note(run, context)
    // Nobody is there to be told.
    if (run.signal.aborted && !(run.signal.reason instanceof ApiError)) return
    const error = toApiError(thrown, context)
    context.facts.error = error
    yield Buffer.from(writer.fail(error))
  }
}

/** Joins batches that arrive within the next turns of the event loop: a socket write costs more than ten chunks. */
async function gather(batch: AnswerEvent[], run: ChatRun, writer: StreamWriter, ahead: Ahead): Promise<string> {
  let text = writer.write(batch)
  const isBurst = performance.now() - ahead.at < BURST_MS
  while (isBurst && text.length < MAX_WRITE_CHARS) {
    ahead.pending = nextBatch(run)
    // What goes wrong is thrown where the stream waits for it next; what was said before goes out first.
    const more = await Promise.race([ahead.pending, nextTurn()]).catch(() => TIMED_OUT)
    if (typeof more === 'symbol' || more.done) break
    text += writer.write(more.value)
    ahead.pending = undefined
  }
  ahead.at = performance.now()
  return text
}

const nextTurn = () => new Promise<typeof TIMED_OUT>((resolve) => setImmediate(resolve, TIMED_OUT))

/** A reader may leave while the next batch is pending: its failure is then ignored. */
function nextBatch(run: ChatRun): Promise<Batch> {
  const batch = run.batches.next()
  batch.catch(noop)
  return batch
}

/** Charges a delivered answer. When the database fails now, the reply lacks its cost and the sweep charges later. */
async function book(meter: Meter, context: RequestContext): Promise<Receipt | undefined> {
  try {
    return await meter.settle()
  } catch (error) {
    noteLeft(error, context)
    return undefined
  }
}

function note(run: ChatRun, context: RequestContext): void {
  const usage = run.counter.usage()
  context.facts.promptTokens = usage.inputTokens
  context.facts.completionTokens = usage.outputTokens
}

function tooSlow(): ApiError {
  const seconds = WHOLE_DEADLINE_MS / 1000
  return new ApiError(
    'REQUEST_TIMEOUT',
    `The answer took longer than ${seconds} s. Send stream=true for long answers. Nothing was charged.`,
  )
}
