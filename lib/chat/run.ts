import 'server-only'
import type { Meter } from '@/lib/billing/meter'
import { type ChatWork, STRETCH_TOKENS } from '@/lib/chat/quote'
import { createThinkSplitter, LEGACY_TAGS } from '@/lib/chat/thinking'
import { boundOf, chatLines, createUsageCounter, type UsageCounter } from '@/lib/chat/usage'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'
import { engineAsked } from '@/lib/core/events'
import { type ChatEngine, type ChatEvent, type ChatRequest, EngineError } from '@/lib/engines/engine'
import { chatEngine } from '@/lib/engines/registry'
import type { Model } from '@/lib/models/model'

/** Money is checked, and the hold marked with what was delivered, after this many events or this long. */
const EVENTS_PER_MARK = 64
const MARK_INTERVAL_MS = 250

/** An answer while it is made. */
export type ChatRun = {
  batches: AsyncGenerator<ChatEvent[]>
  counter: UsageCounter
  /** The model that serves: a fallback may have taken over before the first event. */
  model: Model
  /** Ends the work. Its reason is an ApiError when we end it; otherwise the client left. */
  signal: AbortSignal
}

/**
 * A quote → the answer's events, in the batches in which the engine made them. Thinking is separated, use is counted, and
 * the hold is extended as the answer grows; where the credit ends, the answer ends with `length`.
 */
export function runChat(work: ChatWork, meter: Meter, context: RequestContext, signal: AbortSignal): ChatRun {
  const counter = createUsageCounter(work.bounds)
  const run: ChatRun = { counter, model: work.models[0]!, batches: produce(), signal }
  let isFinished = false
  // A finished answer is charged. Of one that ended early, what had gone out: all that was made if it was streamed, and
  // nothing if it was to be sent whole.
  meter.read = () => (isFinished || (work.isStreaming && counter.hasOutput) ? readingOf(run) : undefined)
  return run

  async function* produce(): AsyncGenerator<ChatEvent[]> {
    let thinking: { separate: ReturnType<typeof thinkingStage> } | undefined
    let sinceMark = 0
    let markedAt = performance.now()
    for await (const raw of fromEngines(run, work, context, signal)) {
      // Asked for with the first batch: only then is it known which model serves.
      thinking ??= { separate: thinkingStage(run, work) }
      const events = thinking.separate ? raw.flatMap(thinking.separate) : raw
      for (const event of raw) counter.count(event)
      const kept = work.options.stripsThinking ? events.filter(isSaid) : events
      if (kept.length > 0) yield kept
      sinceMark += raw.length
      const now = performance.now()
      if (sinceMark < EVENTS_PER_MARK && now - markedAt < MARK_INTERVAL_MS) continue
      sinceMark = 0
      markedAt = now
      if (work.isStreaming) meter.mark()
      if (!(await affords(run, work, meter))) {
        yield openChoices(work).map((choice) => ({ type: 'choice-end', choice, reason: 'length' }))
        break
      }
    }
    isFinished = true
  }
}

/** The events of the first model that begins to answer. After the first event there is no other model to go to. */
async function* fromEngines(run: ChatRun, work: ChatWork, context: RequestContext, signal: AbortSignal) {
  let failures = 0
  for (const model of work.models) {
    const engine = chatEngine(model.engine)
    let hasBegun = false
    try {
      for await (const events of batchesOf(engine, { ...work.request, model: model.upstreamModel }, signal)) {
        if (!hasBegun) serve(run, model, context, failures)
        hasBegun = true
        for (const event of events) if (event.type === 'route') noteRoute(event, context, failures)
        yield events
      }
      engineAsked(model.engine, 'ok')
      return
    } catch (error) {
      engineAsked(model.engine, signal.aborted ? 'left' : 'error')
      if (signal.aborted && signal.reason instanceof ApiError) throw signal.reason
      const isLast = model === work.models.at(-1)
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

/** The model and engine that serve. An engine that has more to tell, such as its retries, does so in a `route` event. */
function serve(run: ChatRun, model: Model, context: RequestContext, failures: number): void {
  run.model = model
  context.facts.modelId = model.id
  context.facts.modelName = model.name
  context.facts.modelRouter = model.engine
  context.facts.retries = failures
}

function noteRoute(event: Extract<ChatEvent, { type: 'route' }>, context: RequestContext, failures: number): void {
  context.facts.modelRouter = event.router ?? context.facts.modelRouter
  context.facts.retries = failures + event.retries
}

/** What the caller wrote wrongly, another model cannot mend. */
function canTryAnother(error: unknown): boolean {
  return (
    error instanceof EngineError && !['invalid-request', 'context-overflow', 'content-policy'].includes(error.reason)
  )
}

function thinkingStage(run: ChatRun, work: ChatWork) {
  const mayThink = work.options.stripsThinking || run.model.capabilities.supportsReasoning
  const tags = run.model.thinkTags ?? (mayThink ? LEGACY_TAGS : undefined)
  return tags && createThinkSplitter(tags)
}

function isSaid(event: ChatEvent): boolean {
  return event.type !== 'reasoning-delta' && event.type !== 'reasoning-details'
}

/** Sets the next stretch of output aside when the present hold runs out, unless the hold covers all that may still come. */
function affords(run: ChatRun, work: ChatWork, meter: Meter): Promise<boolean> | boolean {
  const used = run.counter.usage()
  const price = (outputTokens: number) => boundOf([run.model], used.inputTokens, outputTokens)
  if (price(work.bounds.maxOutputTokens) <= meter.hold.amount) return true
  const rest = Math.min(work.bounds.maxOutputTokens - used.outputTokens, STRETCH_TOKENS * work.request.n)
  const stretch = boundOf([run.model], 0, Math.max(1, rest))
  return meter.reaches(price(used.outputTokens), stretch)
}

function openChoices(work: ChatWork): number[] {
  return Array.from({ length: work.request.n }, (_, choice) => choice)
}

function readingOf({ counter, model }: ChatRun) {
  const usage = counter.usage()
  return {
    lines: chatLines(model, usage),
    modelId: model.id,
    modelType: 'LLM',
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    cachedTokens: usage.cachedTokens,
    isEstimated: counter.isEstimated,
  }
}
