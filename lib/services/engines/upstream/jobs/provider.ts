import 'server-only'
import { EngineError } from '@/lib/services/engines/engine'
import { type EngineOptions, engineOptions } from '@/lib/services/engines/registry'
import { openAiJobs } from '@/lib/services/engines/upstream/jobs/openai-jobs'
import { predictionJobs } from '@/lib/services/engines/upstream/jobs/prediction-jobs'

/** Work as a provider is asked for it. `input` has the provider's own names for fields. */
export type ProviderRequest = {
  /** The provider's name of the model. */
  model: string
  input: Record<string, unknown>
  /** The same for every attempt of one job: a provider that heard it before does not begin again. */
  onceKey: string
}

/** How to find the work again, also from another process. */
export type ProviderRef = { base: string; id: string }

export type ProviderState =
  | { state: 'working' }
  /** `result`: where the file is, in the provider's own terms. */
  | { state: 'done'; result: string }
  | { state: 'failed'; error: EngineError }

/**
 * A provider whose work takes longer than a request: it is asked to begin, asked how far it is, and asked for the file.
 *
 * Each throws EngineError; `overloaded` and `offline` say that the same call may do better later.
 */
export interface JobProvider {
  submit(request: ProviderRequest, signal: AbortSignal): Promise<ProviderRef>
  poll(ref: ProviderRef, signal: AbortSignal): Promise<ProviderState>
  fetch(ref: ProviderRef, result: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** As well as the provider can; never throws for work that has ended. */
  cancel(ref: ProviderRef, signal: AbortSignal): Promise<void>
}

export type ProviderOptions = { baseUrls: string[]; apiKey?: string }

/**
 * The provider behind an engine's name, in the style that the models file says.
 *
 * @throws EngineError `offline` when there is none: a reload took it away.
 */
export function jobProvider(engine: string): JobProvider {
  const options = engineOptions(engine)
  if (!options) throw new EngineError('offline', 'The model is not available at the moment. Choose another one.')
  return jobStyle(engine) === 'predictions' ? predictionJobs(options) : openAiJobs(options)
}

export type JobStyle = 'openai' | 'predictions'

/** How the provider behind an engine's name is spoken to. */
export function jobStyle(engine: string): JobStyle {
  // The definition of the models file is kept whole; only this reads its style.
  const options = engineOptions(engine) as (EngineOptions & { jobStyle?: JobStyle }) | undefined
  return options?.jobStyle ?? 'openai'
}
