import 'server-only'
import { EngineError, type JobProvider } from '@/lib/services/engines/engine'
import { type EngineOptions, engineOptions } from '@/lib/services/engines/registry'
import type { ProviderOptions } from '@/lib/services/engines/upstream/jobs/calls'
import { openAiJobs } from '@/lib/services/engines/upstream/jobs/openai-jobs'
import { predictionJobs } from '@/lib/services/engines/upstream/jobs/prediction-jobs'

/**
 * Finds the provider behind an engine's name, in the style of the models file.
 *
 * @throws EngineError `offline` when there is none: a reload took it away.
 */
export function jobProvider(engine: string): JobProvider {
  const options = engineOptions(engine)
  if (!options) throw new EngineError('offline', 'The model is not available at the moment. Choose another one.')
  return jobProviderOf(options, jobStyle(engine))
}

export const jobProviderOf = (options: ProviderOptions, style: JobStyle = 'openai'): JobProvider =>
  style === 'predictions' ? predictionJobs(options) : openAiJobs(options)

export type JobStyle = 'openai' | 'predictions'

export function jobStyle(engine: string): JobStyle {
  // The definition of the models file is kept whole; only this reads its style.
  const options = engineOptions(engine) as (EngineOptions & { jobStyle?: JobStyle }) | undefined
  return options?.jobStyle ?? 'openai'
}
