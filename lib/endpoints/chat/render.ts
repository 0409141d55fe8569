import 'server-only'
import type { ServiceParametersEcho, UsageBody } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import type { WebSearchStatus } from '@/lib/contract/headers'
import { hex } from '@/lib/contract/ids'
import { usdNumber } from '@/lib/contract/money'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { AnswerEvent, ChatRun } from '@/lib/endpoints/chat/run'
import { createIdleTimeout, type IdleTimeout, TIMED_OUT, WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import type { RequestContext } from '@/lib/kernel/request-context'
import { streamError, toApiError } from '@/lib/pipeline/error-response'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import type { ChatEvent, TokenLogprob, TokenUsage, ToolCall } from '@/lib/services/engines/engine'
import { type Meter, noteLeft, type Receipt } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'

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

const BURST_MS = 2
const MAX_WRITE_CHARS = 65_536

/** Silence after which a comment keeps the connection alive. Source: API contract, chat.md 9. */
export const KEEP_ALIVE_MS = 15_000

export const SSE_PING = ': ping\n\n'
export const SSE_DONE = 'data: [DONE]\n\n'

/**
 * Formats one event. A published client drops any line that contains `[DONE]`, so the bracket is escaped inside JSON.
 */
function sseFrame(json: string): string {
  return `data: ${guardDone(json)}\n\n`
}

export function guardDone(json: string): string {
  return json.includes('[DONE]') ? json.replaceAll('[DONE]', '\\u005bDONE]') : json
}

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
  const idleTimeout = createIdleTimeout(WHOLE_REPLY_DEADLINE_MS, { isRenewed: false })
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
  const seconds = WHOLE_REPLY_DEADLINE_MS / 1000
  return new ApiError(
    'REQUEST_TIMEOUT',
    `The answer took longer than ${seconds} s. Send stream=true for long answers. Nothing was charged.`,
  )
}

type Choice = {
  text: string
  reasoning: string
  details: Record<string, unknown>[]
  calls: Map<number, ToolCall>
  logprobs: TokenLogprob[]
  reason?: 'stop' | 'length' | 'tool_calls'
}

export function renderCompletion(events: AnswerEvent[], run: ChatRun, work: ChatWork, receipt: Receipt | undefined) {
  const choices = Array.from({ length: work.request.n }, emptyChoice)
  let promptLogprobs: unknown[] | null = null
  for (const event of events) {
    if (event.type === 'search-results' || event.type === 'usage') continue
    if (event.type === 'route' || event.type === 'sources') continue
    if (event.type === 'prompt-logprobs') {
      promptLogprobs = event.logprobs
      continue
    }
    const choice = choices[event.choice]
    if (choice) collect(choice, event)
  }
  return {
    id: work.id,
    object: 'chat.completion',
    created: work.created,
    model: run.model.id,
    choices: choices.map(choiceBody),
    usage: usageBody(run.counter.usage()),
    ...(work.request.promptLogprobs ? { prompt_logprobs: promptLogprobs } : {}),
    ...(receipt ? { cost: costBody(receipt) } : {}),
    service_parameters: echoOf(run, work),
  }
}

export function echoOf({ citations, assists }: ChatRun, { options }: ChatWork): ServiceParametersEcho {
  return { ...options.echo, web_search_citations: citations, ...(assists.length > 0 ? { assists } : {}) }
}

function usageBody(usage: TokenUsage): UsageBody {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_creation_input_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}

export function costBody(receipt: Receipt): { diem: number; usd: number } {
  return { diem: usdNumber(receipt.diem), usd: usdNumber(receipt.usd) }
}

/**
 * The seed's fields for the first token, and `content` with all of them for common clients. Source: API contract,
 * README 16 #9.
 */
function logprobsBody(tokens: TokenLogprob[]) {
  return tokens.length === 0 ? null : { ...tokens[0], content: tokens }
}

function emptyChoice(): Choice {
  return { text: '', reasoning: '', details: [], calls: new Map(), logprobs: [] }
}

function collect(
  choice: Choice,
  event: Exclude<ChatEvent, { type: 'usage' | 'route' | 'sources' | 'prompt-logprobs' }>,
): void {
  switch (event.type) {
    case 'text-delta':
      choice.text += event.text
      if (event.logprobs) choice.logprobs.push(...event.logprobs)
      break
    case 'reasoning-delta':
      choice.reasoning += event.text
      break
    case 'reasoning-details':
      choice.details.push(...event.details)
      break
    case 'tool-call-delta':
      collectCall(choice, event)
      break
    case 'choice-end':
      // The first end counts: one whose credit ran out later had ended before.
      choice.reason ??= event.reason
      break
  }
}

function collectCall(choice: Choice, event: Extract<ChatEvent, { type: 'tool-call-delta' }>): void {
  const call = choice.calls.get(event.index)
  if (call) {
    call.function.arguments += event.arguments
    return
  }
  const id = event.id ?? `call_${hex(12)}`
  choice.calls.set(event.index, {
    id,
    type: 'function',
    function: { name: event.name ?? '', arguments: event.arguments },
  })
}

function choiceBody(choice: Choice, index: number) {
  const reason = finishReason(choice.reason ?? 'stop', choice.calls.size > 0)
  return {
    index,
    finish_reason: reason,
    stop_reason: reason === 'length' ? 'length' : 'stop',
    logprobs: logprobsBody(choice.logprobs),
    message: {
      role: 'assistant',
      content: choice.text === '' && choice.calls.size > 0 ? null : choice.text,
      reasoning_content: choice.reasoning === '' ? null : choice.reasoning,
      ...(choice.details.length > 0 ? { reasoning_details: choice.details } : {}),
      ...(choice.calls.size > 0 ? { tool_calls: [...choice.calls.values()] } : {}),
    },
  }
}

/** `tool_calls` whenever the message carries calls, unless it was cut by length. Source: API contract, chat.md 5.1. */
function finishReason(reason: 'stop' | 'length' | 'tool_calls', hasCalls: boolean): 'stop' | 'length' | 'tool_calls' {
  return reason === 'length' ? 'length' : hasCalls ? 'tool_calls' : 'stop'
}

type ChoiceState = { hasCalls: boolean; hasEnded: boolean; tools: Set<number> }

/**
 * Writes the chunks of a streamed answer (API contract, chat.md 9). The shared part is printed once; a delta is one
 * JSON string between two constants.
 */
export function createChunkWriter(work: ChatWork, model: () => Model) {
  const choices = new Map<number, ChoiceState>()
  let head = ''

  /** Printed at the first event: until then a fallback may become the model that serves. */
  function headOf(): string {
    head ||= `{"id":${JSON.stringify(work.id)},"object":"chat.completion.chunk","created":${work.created},"model":${JSON.stringify(model().id)},"choices":[`
    return head
  }

  function chunk(choice: number, delta: string, finish = 'null', logprobs = 'null'): string {
    return sseFrame(
      `${headOf()}{"index":${choice},"delta":${delta},"finish_reason":${finish},"logprobs":${logprobs}}]}`,
    )
  }

  function open(choice: number): [state: ChoiceState, prefix: string] {
    const known = choices.get(choice)
    if (known) return [known, '']
    const state = { hasCalls: false, hasEnded: false, tools: new Set<number>() }
    choices.set(choice, state)
    return [state, chunk(choice, '{"role":"assistant","content":""}')]
  }

  function toolDelta(state: ChoiceState, event: Extract<ChatEvent, { type: 'tool-call-delta' }>): string {
    const isFirst = !state.tools.has(event.index)
    state.tools.add(event.index)
    state.hasCalls = true
    const text = JSON.stringify(event.arguments)
    const begin = isFirst ? `"id":${JSON.stringify(event.id ?? `call_${hex(12)}`)},"type":"function",` : ''
    const name = isFirst ? `"name":${JSON.stringify(event.name ?? '')},` : ''
    return `{"tool_calls":[{"index":${event.index},${begin}"function":{${name}"arguments":${text}}}]}`
  }

  function writeResults({ status, citations }: Extract<AnswerEvent, { type: 'search-results' }>): string {
    if (!work.options.echo.include_search_results_in_stream) return ''
    const found = { web_search_status: status, web_search_citations: citations }
    return sseFrame(`${headOf()}],"service_parameters":${JSON.stringify(found)}}`)
  }

  function writeEvent(event: AnswerEvent): string {
    if (event.type === 'search-results') return writeResults(event)
    if (event.type === 'usage' || event.type === 'route' || event.type === 'sources') return ''
    if (event.type === 'prompt-logprobs') return ''
    const [state, prefix] = open(event.choice)
    if (state.hasEnded) return prefix
    switch (event.type) {
      case 'text-delta': {
        const logprobs = event.logprobs ? JSON.stringify(logprobsBody(event.logprobs)) : undefined
        return prefix + chunk(event.choice, `{"content":${JSON.stringify(event.text)}}`, 'null', logprobs)
      }
      case 'reasoning-delta':
        return prefix + chunk(event.choice, `{"reasoning_content":${JSON.stringify(event.text)}}`)
      case 'reasoning-details':
        return prefix + chunk(event.choice, `{"reasoning_details":${JSON.stringify(event.details)}}`)
      case 'tool-call-delta':
        return prefix + chunk(event.choice, toolDelta(state, event))
      case 'choice-end':
        state.hasEnded = true
        return prefix + chunk(event.choice, '{}', JSON.stringify(finishReason(event.reason, state.hasCalls)))
    }
  }

  return {
    write(events: AnswerEvent[]): string {
      let text = ''
      for (const event of events) text += writeEvent(event)
      return text
    },
    usage(
      usage: TokenUsage,
      receipt: Receipt | undefined,
      { assists = [], webStatus }: { assists?: ServiceParametersEcho['assists']; webStatus?: WebSearchStatus } = {},
    ): string {
      const cost = receipt ? `,"cost":${JSON.stringify(costBody(receipt))}` : ''
      const parameters = {
        ...(assists.length > 0 ? { assists } : {}),
        ...(webStatus ? { web_search_status: webStatus } : {}),
      }
      const also = assists.length > 0 || webStatus ? `,"service_parameters":${JSON.stringify(parameters)}` : ''
      return sseFrame(`${headOf()}],"usage":${JSON.stringify(usageBody(usage))}${cost}${also}}`)
    },
  }
}
