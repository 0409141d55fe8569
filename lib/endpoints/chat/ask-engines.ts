import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { engineAsked } from '@/lib/kernel/events'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type ChatEngine, type ChatEvent, type ChatRequest, EngineError } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'

export type ModelEvents = { model: Model; events: ChatEvent[] }

/**
 * Streams the events of the first of these models that starts to answer. After its first event no other model is tried.
 */
export async function* askEngines(
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
