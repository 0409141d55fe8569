import 'server-only'
import type { Citation, ServiceParametersEcho, WebSearchStatus } from '@/lib/contract/chat.schema'
import { nano, ZERO } from '@/lib/contract/money'
import { askEngines } from '@/lib/endpoints/chat/ask-engines'
import { createAttribution } from '@/lib/endpoints/chat/attribution-stage'
import { LEAST_OUTPUT_TOKENS, MARGIN, STRETCH_TOKENS } from '@/lib/endpoints/chat/bounds'
import { growForSecondPass, look, prepare, type SearchInstead } from '@/lib/endpoints/chat/prepare'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createPurse, type Purse } from '@/lib/endpoints/chat/side-cost-budget'
import { boundBeside, linesBeside } from '@/lib/endpoints/chat/side-costs'
import { createStages, documentEvents } from '@/lib/endpoints/chat/stages'
import { boundOf, chatLines, createUsageCounter, outputFor, type UsageCounter } from '@/lib/endpoints/chat/usage'
import type { WebFindings, WebPlan } from '@/lib/endpoints/chat/web'
import { citationOf } from '@/lib/endpoints/chat/web-citation'
import { answerWithSearchTool } from '@/lib/endpoints/chat/web-tool'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type ChatEvent, type ChatRequest, EngineError, type EngineFailure } from '@/lib/services/engines/engine'
import { noteOverlong } from '@/lib/services/engines/overlong'
import type { Meter } from '@/lib/services/ledger/meter'
import { type Hand, openHand } from '@/lib/services/media/memory-budget'
import type { Model } from '@/lib/services/models/model'

/** Money is checked, and the hold marked with what was delivered, after this many events or this long. */
const EVENTS_PER_MARK = 64
const MARK_INTERVAL_MS = 250

/** A vendor that does not search any more, not so, or not now: the model may answer all the same. */
const VENDOR_REFUSALS: ReadonlySet<EngineFailure> = new Set(['invalid-request', 'offline', 'overloaded', 'failed'])

/** What an answer consists of: what the engine says, and what was found for it. */
export type AnswerEvent = ChatEvent | { type: 'search-results'; status: WebSearchStatus; citations: Citation[] }

/** An answer while it is made. */
export type ChatRun = {
  batches: AsyncGenerator<AnswerEvent[]>
  counter: UsageCounter
  /** The model that serves: a fallback may have taken over before the first event. */
  model: Model
  /** What the request pays beside its tokens. */
  purse: Purse
  /** What the answer may cite; empty where no search ran. */
  citations: Citation[]
  findings?: WebFindings
  /** How the web step ended, once it has; absent where none was planned. */
  webStatus?: WebSearchStatus
  /** What was searched for, or the addresses of the pages. */
  webQuery?: string
  asksForCitations: boolean
  /** The documents of a search stand before the engine's own tool calls. */
  givesDocuments: boolean
  assists: NonNullable<ServiceParametersEcho['assists']>
  /** Results of the vendor's own search that are charged. */
  nativeResults: number
  /** What it has in memory of files and pages; none for a conversation that is all text. */
  hand?: Hand
  /** Ends the work. Its reason is an ApiError when we end it; otherwise the client left. */
  signal: AbortSignal
}

/**
 * A quote → the answer's events, in the batches in which the engine made them. What came along is read, the web is asked,
 * use is counted, and the hold is extended as the answer grows; where the credit ends, the answer ends with `length`.
 */
export function runChat(work: ChatWork, meter: Meter, context: RequestContext, signal: AbortSignal): ChatRun {
  const counter = createUsageCounter(work.bounds)
  const { preparation, options } = work
  const run: ChatRun = {
    counter,
    model: work.models[0]!,
    purse: createPurse(meter, leastTokens),
    citations: [],
    asksForCitations: options.echo.enable_web_citations && (preparation?.web.mode ?? 'none') !== 'none',
    givesDocuments: false,
    assists: [],
    nativeResults: 0,
    batches: preparation ? withHand() : produce(),
    signal,
  }
  let isFinished = false
  // A finished answer is charged. Of one that ended early, what had gone out: all that was made if it was streamed, and
  // nothing if it was to be sent whole.
  meter.read = () => (isFinished || (work.isStreaming && counter.hasOutput) ? readingOf(run, work) : undefined)
  return run

  function leastTokens() {
    const { maxTokens, n } = work.request
    const output = counter.usage().outputTokens + Math.min(maxTokens, LEAST_OUTPUT_TOKENS) * n
    return boundOf(work.models, Math.ceil(work.bounds.inputTokens * MARGIN), output)
  }

  /** Opened with the first step, for a generator that is never begun has no end either. */
  async function* withHand(): AsyncGenerator<AnswerEvent[]> {
    const hand = openHand(meter.hold.accountId)
    run.hand = hand
    try {
      yield* produce()
    } finally {
      hand.close()
    }
  }

  async function* produce(): AsyncGenerator<AnswerEvent[]> {
    const searchInstead = preparation && (await prepare(run, work, preparation, meter))
    boundByCredit(run, work, meter)
    let stages: ReturnType<typeof createStages> | undefined
    const attribution = run.asksForCitations ? createAttribution(run) : undefined
    let hasAnnounced = false
    let sinceMark = 0
    let markedAt = performance.now()
    for await (const raw of eventsOf(run, work, meter, context, searchInstead)) {
      // With the engine's first event and not before: only then it is known that there is an answer, and whose it is.
      if (run.webStatus && !hasAnnounced) yield announce(run.webStatus, run, work, context)
      hasAnnounced ||= run.webStatus !== undefined
      stages ??= createStages(run, work)
      const over = raw.findIndex((event) => note(event, run))
      const events = stages(over < 0 ? raw : [...raw.slice(0, over), ...counter.within(raw[over]!)])
      const kept = attribution ? await attribution(events) : events
      if (kept.length > 0) yield kept
      if (over >= 0) {
        noteOverlong(run.model.id)
        yield stages(endsOf(work))
        break
      }
      sinceMark += raw.length
      const now = performance.now()
      if (sinceMark < EVENTS_PER_MARK && now - markedAt < MARK_INTERVAL_MS) continue
      sinceMark = 0
      markedAt = now
      if (work.isStreaming) meter.mark()
      if (!(await affords(run, work, meter))) {
        yield stages(endsOf(work))
        break
      }
    }
    run.webStatus ??= endedWithoutWeb(preparation?.web)
    if (run.webStatus && !hasAnnounced) yield announce(run.webStatus, run, work, context)
    isFinished = true
  }
}

/** The engine's events; where the model decides itself whether to search, after it has decided. */
function eventsOf(
  run: ChatRun,
  work: ChatWork,
  meter: Meter,
  context: RequestContext,
  searchInstead?: SearchInstead,
): AsyncGenerator<ChatEvent[]> {
  const plan = work.preparation?.web
  const ask = (request: Omit<ChatRequest, 'model'>) => askEngines(run, work, request, context)
  if (plan?.mode === 'native' && searchInstead) return searchedByVendor(ask, work, () => searchInstead(plan.query))
  if (plan?.mode !== 'tool') return ask(work.request)
  return answerWithSearchTool(ask, work.request, plan.query, async (query) => {
    const prompt = await look({ mode: 'search', query }, run, work)
    return { prompt, bound: await growForSecondPass(run, work, prompt, meter) }
  })
}

/** The answer of a model that searches itself; where its vendor refuses before a word was said, with our own search. */
async function* searchedByVendor(
  ask: (request: ChatWork['request']) => AsyncGenerator<ChatEvent[]>,
  work: ChatWork,
  searchInstead: () => Promise<void>,
): AsyncGenerator<ChatEvent[]> {
  let hasBegun = false
  try {
    for await (const events of ask(work.request)) {
      hasBegun = true
      yield events
    }
    return
  } catch (error) {
    if (hasBegun || !(error instanceof EngineError) || !VENDOR_REFUSALS.has(error.reason)) throw error
  }
  await searchInstead()
  yield* ask(work.request)
}

/** The outcome where the answer ended and nobody had searched: the model that may search decides, or its vendor. */
function endedWithoutWeb(plan: WebPlan | undefined): WebSearchStatus | undefined {
  if (plan?.mode === 'tool') return 'not_needed'
  return plan?.mode === 'native' ? 'nothing_found' : undefined
}

/** What was found goes out before anything is said: the list, and the documents where the caller wants them as a call. */
function announce(status: WebSearchStatus, run: ChatRun, work: ChatWork, context: RequestContext): AnswerEvent[] {
  context.facts.webSearchStatus = status
  const results: AnswerEvent = { type: 'search-results', status, citations: run.citations }
  if (!run.findings || !work.options.echo.return_search_results_as_documents) return [results]
  run.givesDocuments = true
  return [results, ...openChoices(work).map((choice) => documentEvents(run.citations, choice))]
}

/** Every choice ends for want of room; one that had ended before stays as it was. */
function endsOf(work: ChatWork): ChatEvent[] {
  return openChoices(work).map((choice) => ({ type: 'choice-end', choice, reason: 'length' }))
}

/** @returns true when more was said than was allowed. */
function note(event: ChatEvent, run: ChatRun): boolean {
  run.counter.count(event)
  if (event.type === 'sources') noteSources(event, run)
  return run.counter.isOver
}

function noteSources(event: Extract<ChatEvent, { type: 'sources' }>, run: ChatRun): void {
  run.citations = event.sources.flatMap((source) => citationOf(source) ?? [])
  run.nativeResults = event.results
  run.webStatus = run.citations.length > 0 ? 'found' : 'nothing_found'
}

/** An answer may come in one burst: the engine is asked for no more than what the credit pays for. */
function boundByCredit(run: ChatRun, work: ChatWork, { hold }: Meter): void {
  const { models, bounds, request } = work
  if (hold.amount === 0n) return
  const input = Math.ceil(bounds.inputTokens * MARGIN)
  const beside = boundBeside(run, work)
  const first = nano(boundOf(models, input, Math.min(request.maxTokens, STRETCH_TOKENS) * request.n) + beside)
  // A first hold of less than was wanted is all that there is; another may grow up to the balance.
  const isAll = !work.preparation && hold.amount < first
  const balance = hold.balancesBefore?.[hold.currency] ?? ZERO
  const credit = isAll || balance < hold.amount ? hold.amount : balance
  const affordable = Math.floor(outputFor(nano(credit - beside), models, input) / request.n)
  if (affordable >= request.maxTokens) return
  const maxTokens = Math.max(1, affordable)
  work.request = { ...request, maxTokens, bound: request.bound === 'open' ? 'open' : undefined }
  bounds.maxOutputTokens = maxTokens * request.n
}

/** Sets the next stretch of output aside when the present hold runs out, unless the hold covers all that may still come. */
function affords(run: ChatRun, work: ChatWork, meter: Meter): Promise<boolean> | boolean {
  const used = run.counter.usage()
  const beside = boundBeside(run, work)
  const price = (outputTokens: number) => nano(boundOf([run.model], used.inputTokens, outputTokens) + beside)
  if (price(work.bounds.maxOutputTokens) <= meter.hold.amount) return true
  const rest = Math.min(work.bounds.maxOutputTokens - used.outputTokens, STRETCH_TOKENS * work.request.n)
  const stretch = boundOf([run.model], 0, Math.max(1, rest))
  return meter.reaches(price(used.outputTokens), stretch)
}

function openChoices(work: ChatWork): number[] {
  return Array.from({ length: work.request.n }, (_, choice) => choice)
}

function readingOf(run: ChatRun, work: ChatWork) {
  const { counter, model } = run
  const usage = counter.usage()
  return {
    lines: [...chatLines(model, usage), ...linesBeside(run, work)],
    modelId: model.id,
    modelType: 'LLM',
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    cachedTokens: usage.cachedTokens,
    isEstimated: counter.isEstimated,
  }
}
