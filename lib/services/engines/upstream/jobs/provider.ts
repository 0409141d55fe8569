import 'server-only'
import { type JobProvider, unavailable } from '@/lib/services/engines/engine'
import { type EngineOptions, engineOptions } from '@/lib/services/engines/registry'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'
import { openAiJobs } from '@/lib/services/engines/upstream/jobs/openai-jobs'
import { predictionJobs } from '@/lib/services/engines/upstream/jobs/prediction-jobs'

/**
 * Finds the provider behind an engine's name, in the style of the models file.
 *
 * @throws EngineError `offline` when there is none: a reload took it away.
 */
export function jobProvider(engine: string): JobProvider {
  const options = engineOptions(engine)
  if (!options) throw unavailable('model')
  return jobProviderOf(options)
}

export const jobProviderOf = (options: EngineOptions): JobProvider =>
  options.jobStyle === 'predictions' ? predictionJobs(options) : openAiJobs(options)

export const NO_JOB = 'lagoon-check'
const NO_SUCH_JOB: ReadonlySet<number | undefined> = new Set([400, 404, 410, 422])

/**
 * Asks a provider for a job that cannot exist, which verifies address and key; a true one costs dollars and takes minutes.
 *
 * @throws EngineError when the provider says anything but that there is none.
 */
export async function reachJobs(provider: JobProvider, address: string, signal: AbortSignal): Promise<void> {
  try {
    await provider.poll({ base: address.replace(/\/+$/, ''), id: NO_JOB }, signal)
  } catch (error) {
    if (error instanceof UpstreamError && NO_SUCH_JOB.has(error.status)) return
    throw error
  }
  throw new Error('it reports a job that does not exist')
}
