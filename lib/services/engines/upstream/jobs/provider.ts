import 'server-only'
import { safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { type JobProvider, unavailable } from '@/lib/services/engines/engine'
import { type EngineOptions, engineOptions } from '@/lib/services/engines/registry'
import { garbageError, UpstreamError } from '@/lib/services/engines/upstream/failures'
import { failedState, jobCalls, jobIdIn, type ProviderOptions } from '@/lib/services/engines/upstream/jobs/calls'
import { isWireObject, textOrUndefined } from '@/lib/services/engines/upstream/wire-value'

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

const OPENAI_WORKING: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'processing', 'running', 'pending'])
const OPENAI_DONE: ReadonlySet<unknown> = new Set(['completed', 'succeeded'])

/** `POST /videos`, `GET /videos/{id}`, `GET /videos/{id}/content`, `DELETE /videos/{id}`. */
function openAiJobs(options: ProviderOptions): JobProvider {
  const calls = jobCalls(options)
  const urlOf = (base: string, id: string) => `${calls.sameBase(base)}/videos/${encodeURIComponent(id)}`

  return {
    async submit({ model, input, onceKey }, signal) {
      const base = calls.base()
      const headers = { 'idempotency-key': onceKey }
      const reply = await calls.json(
        { method: 'POST', url: `${base}/videos`, body: { model, ...input }, headers },
        signal,
      )
      return { base, id: jobIdIn(reply) }
    },
    async poll({ base, id }, signal) {
      const reply = await calls.json({ method: 'GET', url: urlOf(base, id) }, signal)
      if (OPENAI_DONE.has(reply.status)) return { state: 'done', result: `${urlOf(base, id)}/content` }
      if (OPENAI_WORKING.has(reply.status)) return { state: 'working' }
      return failedState(reply)
    },
    fetch: ({ base, id }, _, signal) => calls.bytes(`${urlOf(base, id)}/content`, signal),
    async cancel({ base, id }, signal) {
      await calls.json({ method: 'DELETE', url: urlOf(base, id) }, signal).catch(() => {})
    },
  }
}

const PREDICTIONS_WORKING: ReadonlySet<unknown> = new Set(['starting', 'processing', 'queued'])
const VERSION = /^[0-9a-f]{64}$/
const MAX_FILE_BYTES = 256 * 1024 * 1024
const FILE_MS = 300_000

/**
 * `POST /predictions` or `/models/{owner}/{name}/predictions`, `GET /predictions/{id}`, `POST
 * /predictions/{id}/cancel`.
 */
function predictionJobs(options: ProviderOptions): JobProvider {
  const calls = jobCalls(options)
  const urlOf = (base: string, id: string) => `${calls.sameBase(base)}/predictions/${encodeURIComponent(id)}`

  return {
    async submit({ model, input, onceKey }, signal) {
      const base = calls.base()
      const version = model.split(':').at(-1) ?? model
      const isVersion = VERSION.test(version)
      const url = isVersion
        ? `${base}/predictions`
        : `${base}/models/${model.split('/').map(encodeURIComponent).join('/')}/predictions`
      const body = isVersion ? { version, input } : { input }
      const reply = await calls.json({ method: 'POST', url, body, headers: { 'idempotency-key': onceKey } }, signal)
      return { base, id: jobIdIn(reply) }
    },
    async poll({ base, id }, signal) {
      const reply = await calls.json({ method: 'GET', url: urlOf(base, id) }, signal)
      if (PREDICTIONS_WORKING.has(reply.status)) return { state: 'working' }
      if (reply.status === 'succeeded') {
        const result = fileIn(reply.output)
        if (result !== undefined) return { state: 'done', result }
        throw garbageError(new Error('no file in the output'))
      }
      return failedState(reply)
    },
    async *fetch(_, result, signal) {
      if (calls.isOwn(result)) {
        yield* calls.bytes(result, signal)
        return
      }
      // The address came in a reply: public hosts only, and without the operator's key.
      const fetched = await safeFetch(result, { maxBytes: MAX_FILE_BYTES, timeoutMs: FILE_MS, signal }).catch(
        (error) => {
          throw signal.aborted ? signal.reason : garbageError(error)
        },
      )
      yield fetched.bytes
    },
    async cancel({ base, id }, signal) {
      await calls.json({ method: 'POST', url: `${urlOf(base, id)}/cancel` }, signal).catch(() => {})
    },
  }
}

function fileIn(output: unknown): string | undefined {
  const [first] = [output].flat()
  const text = isWireObject(first)
    ? (textOrUndefined(first.url) ?? textOrUndefined(first.video) ?? textOrUndefined(first.audio))
    : textOrUndefined(first)
  return text !== undefined && /^https?:\/\//.test(text) ? text : undefined
}
