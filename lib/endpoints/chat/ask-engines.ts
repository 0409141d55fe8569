import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import { engineAsked } from '@/lib/kernel/events'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type ChatEngine, type ChatEvent, type ChatRequest, EngineError } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'

/**
 * The events of the first model that begins to answer. After the first event there is no other model to go to, nor for
 * what is asked next in the same work.
 */
export async function* askEngines(
  run: ChatRun,
  work: ChatWork,
  request: Omit<ChatRequest, 'model'>,
  context: RequestContext,
): AsyncGenerator<ChatEvent[]> {
  const { signal } = run
  // A model that searches itself is not passed over for one that does not: the service searches then, for all of them.
  const models = request.nativeSearch
    ? work.models.filter(({ capabilities }) => capabilities.supportsXSearch)
    : work.models
  // They would spell out the character's prompt, which is its maker's.
  const promptLogprobs = work.character ? undefined : request.promptLogprobs
  let failures = 0
  for (const model of models) {
    const engine = chatEngine(model.engine)
    let hasBegun = false
    try {
      for await (const events of batchesOf(
        engine,
        { ...request, model: model.upstreamModel, promptLogprobs },
        signal,
      )) {
        if (!hasBegun) serve(run, model, context, failures)
        hasBegun = true
        work.models = [model]
        for (const event of events) if (event.type === 'route') noteRoute(event, context, failures)
        yield events
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
