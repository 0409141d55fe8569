import 'server-only'
import type { Citation, ServiceParametersEcho } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import type { WebSearchStatus } from '@/lib/contract/headers'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { createAttribution } from '@/lib/endpoints/chat/citations'
import { withFindings } from '@/lib/endpoints/chat/engine-request'
import {
  type Asked,
  askWith,
  boundsOfBoth,
  type Conversation,
  decideWeb,
  lastQuestion,
  look,
  readConversation,
  type WebStep,
  webBudget,
} from '@/lib/endpoints/chat/prepare'
import {
  boundOf,
  chatLines,
  createSideCosts,
  MARGIN,
  MIN_OUTPUT_TOKENS,
  maxSideCost,
  outputFor,
  type Preparation,
  type SideCosts,
  STRETCH_TOKENS,
  sideCostLines,
} from '@/lib/endpoints/chat/price'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createStages, documentEvents } from '@/lib/endpoints/chat/stages'
import { createUsageCounter, type UsageCounter } from '@/lib/endpoints/chat/usage'
import { boundOfWeb, type WebPlan } from '@/lib/endpoints/chat/web-plan'
import { citationOf, type WebFindings, withoutFindings } from '@/lib/endpoints/chat/web-prompt'
import { answerWithSearchTool } from '@/lib/endpoints/chat/web-tool'
import type { RequestContext } from '@/lib/kernel/request-context'
import { engineAsked } from '@/lib/kernel/request-log'
import {
  type ChatEngine,
  type ChatEvent,
  type ChatRequest,
  EngineError,
  type EngineFailure,
} from '@/lib/services/engines/engine'
import { nameOfRequest } from '@/lib/services/engines/queue-positions'
import { chatEngine } from '@/lib/services/engines/registry'
import { noteOverlong } from '@/lib/services/engines/upstream/http-exchange'
import { type Meter, priceOf } from '@/lib/services/ledger/meter'
import { type MemoryReservation, openMemoryReservation } from '@/lib/services/media/memory-budget'
import type { Model } from '@/lib/services/models/model'

const EVENTS_PER_MARK = 64
const MARK_INTERVAL_MS = 250

const VENDOR_REFUSALS: ReadonlySet<EngineFailure> = new Set(['invalid-request', 'offline', 'overloaded', 'failed'])

export type AnswerEvent = ChatEvent | { type: 'search-results'; status: WebSearchStatus; citations: Citation[] }

export type ChatRun = {
  batches: AsyncGenerator<AnswerEvent[]>
  readonly counter: UsageCounter
  readonly model: Model
  readonly citations: Citation[]
  readonly webStatus?: WebSearchStatus
  readonly webQuery?: string
  readonly assists: NonNullable<ServiceParametersEcho['assists']>
  /** Its reason is an ApiError when we end the work; otherwise the client left. */
  readonly signal: AbortSignal
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

type Progress = Mutable<Omit<ChatRun, 'batches'>> & {
  asked: Asked
  models: Model[]
  sideCosts: SideCosts
  findings?: WebFindings
  asksForCitations: boolean
  givesDocuments: boolean
  nativeResults: number
  memory?: MemoryReservation
  isFinished: boolean
}

/** What the steps of a run share. */
type RunContext = { run: Progress; work: ChatWork; meter: Meter; context: RequestContext }

/**
 * Runs a quote and streams events in the engine's own batches: reads attachments, takes the web step, counts usage and
 * extends the hold as the answer grows. Where the credit ends, the answer ends with `length`.
 */
export function runChat(work: ChatWork, meter: Meter, context: RequestContext, signal: AbortSignal): ChatRun {
  const counter = createUsageCounter(work.bounds)
  const { preparation, options } = work
  const run: Progress = {
    counter,
    asked: { request: work.request, bounds: work.bounds },
    model: work.models[0]!,
    models: work.models,
    sideCosts: createSideCosts(meter, () => minTokens(run)),
    citations: [],
    asksForCitations: options.echo.enable_web_citations && (preparation?.web.mode ?? 'none') !== 'none',
    givesDocuments: false,
    assists: [],
    nativeResults: 0,
    isFinished: false,
    signal,
  }
  // A finished answer is charged. Of one that ended early, what had gone out: all that was made if it was streamed, and
  // nothing if it was to be sent whole.
  meter.readWith(() => (run.isFinished || (work.isStreaming && counter.hasOutput()) ? readingOf(run) : undefined))
  const parts = { run, work, meter, context }
  return Object.assign(run, { batches: preparation ? answerWithMemory(parts) : answer(parts) })
}

/** Opens the memory with the first step, since a generator that never starts never ends. */
async function* answerWithMemory(parts: RunContext): AsyncGenerator<AnswerEvent[]> {
  const memory = openMemoryReservation(parts.meter.hold.accountId)
  parts.run.memory = memory
  try {
    yield* answer(parts)
  } finally {
    memory.close()
  }
}

// Generators are not nested in functions: V8 keeps such, with their requests (docs/performance.md, "Functions that V8 keeps").
async function* answer(parts: RunContext): AsyncGenerator<AnswerEvent[]> {
  const { run, work, meter, context } = parts
  const { preparation } = work
  const conversation = preparation && (await prepare(run, work, preparation, meter))
  boundByCredit(run, meter, { mayGrow: preparation !== undefined })
  let stages: ReturnType<typeof createStages> | undefined
  const attribution = run.asksForCitations ? createAttribution(() => run.findings?.passages, run.signal) : undefined
  let hasAnnounced = false
  let sinceMark = 0
  let markedAt = performance.now()
  for await (const raw of eventsOf(parts, conversation)) {
    // With the engine's first event and not before: only then it is known that there is an answer, and whose it is.
    if (run.webStatus && !hasAnnounced) yield announce(run.webStatus, run, work, context)
    hasAnnounced ||= run.webStatus !== undefined
    stages ??= createStages(run, { ...work, request: run.asked.request })
    const over = raw.findIndex((event) => note(event, run))
    const events = stages(over < 0 ? raw : [...raw.slice(0, over), ...run.counter.within(raw[over]!)])
    const attributed = attribution ? await attribution(events) : events
    if (attributed.length > 0) yield attributed
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
    if (!(await affords(run, meter))) {
      yield stages(endsOf(work))
      break
    }
  }
  run.webStatus ??= endedWithoutWeb(preparation?.web)
  if (run.webStatus && !hasAnnounced) yield announce(run.webStatus, run, work, context)
  run.isFinished = true
}

async function prepare(run: Progress, work: ChatWork, preparation: Preparation, meter: Meter): Promise<Conversation> {
  const { sideCosts, memory, signal } = run
  const conversation = await readConversation(preparation, work.models[0]!, { sideCosts, memory: memory!, signal })
  run.assists = conversation.assists
  adopt(run, askWith(conversation, run.asked.request, work))
  const step = await decideWeb(preparation.web, signal)
  if (step === 'not_needed') run.webStatus = step
  else if (step) tell(run, work, conversation, await lookUp(step, run, preparation))
  await setAside(run, meter)
  return conversation
}

function adopt(run: Progress, asked: Asked): void {
  run.asked = asked
  run.counter.expect(asked.bounds)
}

function tell(run: Progress, work: ChatWork, { messages, media }: Conversation, text: string): void {
  if (text.length > webBudget(run.asked, run.models[0]!)) return
  adopt(run, askWith({ messages: withFindings(messages, text), media }, run.asked.request, work))
}

async function lookUp(step: WebStep, run: Progress, preparation: Preparation): Promise<string> {
  const { sideCosts, asked, asksForCitations, memory, signal } = run
  await sideCosts.reserve(priceOf(boundOfWeb(step)))
  const budgetChars = webBudget(asked, run.models[0]!)
  const found = await look(step, { question: lastQuestion(preparation), budgetChars, asksForCitations, memory, signal })
  run.webQuery = found.query
  run.webStatus = found.status
  if (found.findings) {
    sideCosts.spend(found.findings.lines)
    run.findings = found.findings
    run.citations = found.findings.citations
  }
  return found.text
}

function eventsOf(parts: RunContext, conversation: Conversation | undefined): AsyncGenerator<ChatEvent[]> {
  const { run, work, meter } = parts
  const { preparation } = work
  const ask = (request: ChatWork['request']) => askFor(request, parts)
  if (!preparation || !conversation) return ask(run.asked.request)
  const plan = preparation.web
  if (plan.mode === 'native') return searchedByVendor(ask, run, () => searchInstead(plan.query))
  if (plan.mode !== 'tool') return ask(run.asked.request)
  return answerWithSearchTool(ask, run.asked.request, plan.query, async (query) => {
    const prompt = await lookUp({ mode: 'search', query }, run, preparation)
    const { request, bounds } = run.asked
    const both = boundsOfBoth(bounds, prompt, run.model)
    adopt(run, { request, bounds: both })
    await setAside(run, meter)
    // What the second answer finds in its way is ours, so a caller's bound gives way.
    const isTight = both.inputTokens - bounds.inputTokens + request.maxTokens > run.model.contextTokens
    return { prompt, bound: isTight ? 'open' : undefined }
  })

  async function searchInstead(query: string | undefined): Promise<void> {
    const { request, bounds } = run.asked
    adopt(run, { request: { ...request, nativeSearch: undefined }, bounds })
    if (query === undefined) run.webStatus = 'failed'
    const isSearched = query !== undefined
    const text = isSearched
      ? await lookUp({ mode: 'search', query }, run, preparation!)
      : withoutFindings('search', 'failed')
    tell(run, work, conversation!, text)
    await setAside(run, meter)
  }
}

async function* askFor(
  request: ChatWork['request'],
  { run, work, meter, context }: RunContext,
): AsyncGenerator<ChatEvent[]> {
  // They would spell out the character's prompt, which is its maker's.
  const promptLogprobs = work.character ? undefined : request.promptLogprobs
  const requestName = nameOfRequest(meter.hold)
  const isWhole = !work.isStreaming && isCovered(run, meter)
  const asked = { ...request, promptLogprobs, requestName, isWhole }
  for await (const { model, events } of askEngines(run.models, asked, context, run.signal)) {
    // Nor is there another model to go to for what is asked next.
    run.model = model
    run.models = [model]
    yield events
  }
}

async function* searchedByVendor(
  ask: (request: ChatWork['request']) => AsyncGenerator<ChatEvent[]>,
  run: Progress,
  searchInstead: () => Promise<void>,
): AsyncGenerator<ChatEvent[]> {
  let hasBegun = false
  try {
    for await (const events of ask(run.asked.request)) {
      hasBegun = true
      yield events
    }
    return
  } catch (error) {
    if (hasBegun || !(error instanceof EngineError) || !VENDOR_REFUSALS.has(error.reason)) throw error
  }
  await searchInstead()
  yield* ask(run.asked.request)
}

function endedWithoutWeb(plan: WebPlan | undefined): WebSearchStatus | undefined {
  if (plan?.mode === 'tool') return 'not_needed'
  return plan?.mode === 'native' ? 'nothing_found' : undefined
}

function announce(status: WebSearchStatus, run: Progress, work: ChatWork, context: RequestContext): AnswerEvent[] {
  context.facts.webSearchStatus = status
  const results: AnswerEvent = { type: 'search-results', status, citations: run.citations }
  if (!run.findings || !work.options.echo.return_search_results_as_documents) return [results]
  run.givesDocuments = true
  return [results, ...openChoices(work).map((choice) => documentEvents(run.citations, choice))]
}

function endsOf(work: ChatWork): ChatEvent[] {
  return openChoices(work).map((choice) => ({ type: 'choice-end', choice, reason: 'length' }))
}

function openChoices(work: ChatWork): number[] {
  return Array.from({ length: work.request.n }, (_, choice) => choice)
}

function note(event: ChatEvent, run: Progress): boolean {
  run.counter.count(event)
  if (event.type === 'sources') noteSources(event, run)
  return run.counter.isOver()
}

function noteSources(event: Extract<ChatEvent, { type: 'sources' }>, run: Progress): void {
  run.citations = event.sources.flatMap((source) => citationOf(source) ?? [])
  run.nativeResults = event.results
  run.webStatus = run.citations.length > 0 ? 'found' : 'nothing_found'
}

function minTokens({ models, counter, asked: { request, bounds } }: Progress): Usd {
  const output = counter.usage().outputTokens + Math.min(request.maxTokens, MIN_OUTPUT_TOKENS) * request.n
  return boundOf(models, Math.ceil(bounds.inputTokens * MARGIN), output)
}

async function setAside(
  { models, counter, sideCosts, asked: { request, bounds } }: Progress,
  meter: Meter,
): Promise<void> {
  const input = Math.ceil(bounds.inputTokens * MARGIN)
  const outputTokens = counter.usage().outputTokens
  const sideCost = maxSideCost(sideCosts, request)
  const cost = (output: number) =>
    nano(boundOf(models, input, outputTokens + Math.min(request.maxTokens, output) * request.n) + sideCost)
  if (cost(STRETCH_TOKENS) > meter.hold.amount) await meter.reserve(cost(MIN_OUTPUT_TOKENS))
}

/**
 * An answer may arrive in one burst: the engine is asked for no more than the credit pays for.
 *
 * @param mayGrow the first hold was made before all was known, so that its amount does not show the credit.
 */
function boundByCredit(run: Progress, { hold }: Meter, { mayGrow }: { mayGrow: boolean }): void {
  const { models, sideCosts, asked } = run
  const { request, bounds } = asked
  if (hold.amount === 0n) return
  const input = Math.ceil(bounds.inputTokens * MARGIN)
  const sideCost = maxSideCost(sideCosts, request)
  const first = nano(boundOf(models, input, Math.min(request.maxTokens, STRETCH_TOKENS) * request.n) + sideCost)
  // A first hold of less than was wanted is all that there is; another may grow up to the balance.
  const isAll = !mayGrow && hold.amount < first
  const balance = hold.balancesBefore?.[hold.currency] ?? ZERO
  const credit = isAll || balance < hold.amount ? hold.amount : balance
  const affordable = Math.floor(outputFor(nano(credit - sideCost), models, input) / request.n)
  if (affordable >= request.maxTokens) return
  const maxTokens = Math.max(1, affordable)
  adopt(run, {
    request: { ...request, maxTokens, bound: request.bound === 'open' ? 'open' : undefined },
    bounds: { ...bounds, maxOutputTokens: maxTokens * request.n },
  })
}

/** Tells whether the hold covers the longest answer, so that none of it need be watched while it is made. */
function isCovered({ models, sideCosts, asked: { request, bounds } }: Progress, { hold }: Meter): boolean {
  const input = Math.ceil(bounds.inputTokens * MARGIN)
  return boundOf(models, input, bounds.maxOutputTokens) + maxSideCost(sideCosts, request) <= hold.amount
}

function affords({ counter, model, sideCosts, asked }: Progress, meter: Meter): Promise<boolean> | boolean {
  const { request, bounds } = asked
  const used = counter.usage()
  const sideCost = maxSideCost(sideCosts, request)
  const price = (outputTokens: number) => nano(boundOf([model], used.inputTokens, outputTokens) + sideCost)
  if (price(bounds.maxOutputTokens) <= meter.hold.amount) return true
  const rest = Math.min(bounds.maxOutputTokens - used.outputTokens, STRETCH_TOKENS * request.n)
  const stretch = boundOf([model], 0, Math.max(1, rest))
  return meter.reaches(price(used.outputTokens), stretch)
}

function readingOf({ counter, model, sideCosts, nativeResults, asked }: Progress) {
  const usage = counter.usage()
  return {
    lines: [...chatLines(model, usage), ...sideCostLines(sideCosts, nativeResults, asked.request)],
    modelId: model.id,
    modelType: 'LLM',
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    cachedTokens: usage.cachedTokens,
    isEstimated: counter.isEstimated(),
  }
}

type ModelEvents = { model: Model; events: ChatEvent[] }

/**
 * Streams the events of the first of these models that starts to answer. After its first event no other model is tried.
 */
async function* askEngines(
  all: Model[],
  request: Omit<ChatRequest, 'model'>,
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<ModelEvents> {
  // A model that searches itself is not passed over for one that does not: the service searches then, for all of them.
  const models = request.nativeSearch ? all.filter(({ capabilities }) => capabilities.supportsXSearch) : all
  let failures = 0
  for (const model of models) {
    const engine = chatEngine(model.engine)
    let hasBegun = false
    try {
      for await (const events of batchesOf(engine, { ...request, model: model.upstreamModel }, signal)) {
        if (!hasBegun) noteModel(model, context, failures)
        hasBegun = true
        for (const event of events) if (event.type === 'route') noteRoute(event, context, failures)
        yield { model, events }
      }
      engineAsked(model.engine, 'ok')
      return
    } catch (error) {
      engineAsked(model.engine, signal.aborted ? 'left' : 'error')
      if (signal.aborted && signal.reason instanceof ApiError) throw signal.reason
      const isLast = model === models.at(-1)
      if (hasBegun || isLast || signal.aborted || !canTryAnother(error)) throw error
      failures++
    }
  }
}

function batchesOf(engine: ChatEngine, request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent[]> {
  return engine.streamBatches ? engine.streamBatches(request, signal) : single(engine.stream(request, signal))
}

async function* single(events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent[]> {
  for await (const event of events) yield [event]
}

function noteModel(model: Model, { facts }: RequestContext, failures: number): void {
  facts.modelId = model.id
  facts.modelName = model.name
  facts.modelRouter = model.engine
  facts.retries = failures
}

function noteRoute(event: Extract<ChatEvent, { type: 'route' }>, { facts }: RequestContext, failures: number): void {
  facts.modelRouter = event.router ?? facts.modelRouter
  facts.retries = failures + event.retries
}

function canTryAnother(error: unknown): boolean {
  return (
    error instanceof EngineError && !['invalid-request', 'context-overflow', 'content-policy'].includes(error.reason)
  )
}
