import 'server-only'
import { safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import type { JobProvider } from '@/lib/services/engines/engine'
import { garbageError } from '@/lib/services/engines/upstream/failures'
import { failedState, jobCalls, jobIdIn, type ProviderOptions } from '@/lib/services/engines/upstream/jobs/calls'
import { isWireObject, textOrUndefined } from '@/lib/services/engines/upstream/wire-value'

const WORKING: ReadonlySet<unknown> = new Set(['starting', 'processing', 'queued'])
const VERSION = /^[0-9a-f]{64}$/
const MAX_FILE_BYTES = 256 * 1024 * 1024
const FILE_MS = 300_000

/**
 * `POST /predictions` or `/models/{owner}/{name}/predictions`, `GET /predictions/{id}`, `POST
 * /predictions/{id}/cancel`.
 */
export function predictionJobs(options: ProviderOptions): JobProvider {
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
      if (WORKING.has(reply.status)) return { state: 'working' }
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
