import 'server-only'
import { EngineError, type JobProvider } from '@/lib/services/engines/engine'
import { garbageError, streamError } from '@/lib/services/engines/upstream/failures'
import type { ProviderOptions } from '@/lib/services/engines/upstream/jobs/calls'
import { jobCalls } from '@/lib/services/engines/upstream/jobs/calls'
import { textOrUndefined } from '@/lib/services/engines/upstream/wire-value'

const WORKING: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'processing', 'running', 'pending'])
const DONE: ReadonlySet<unknown> = new Set(['completed', 'succeeded'])
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/

/** `POST /videos`, `GET /videos/{id}`, `GET /videos/{id}/content`, `DELETE /videos/{id}`. */
export function openAiJobs(options: ProviderOptions): JobProvider {
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
      const id = textOrUndefined(reply.id)
      if (id === undefined || !ID.test(id)) throw garbageError(new Error('no id'))
      return { base, id }
    },
    async poll({ base, id }, signal) {
      const reply = await calls.json({ method: 'GET', url: urlOf(base, id) }, signal)
      if (DONE.has(reply.status)) return { state: 'done', result: `${urlOf(base, id)}/content` }
      if (WORKING.has(reply.status)) return { state: 'working' }
      if (reply.status === 'failed') return { state: 'failed', error: streamError(reply.error ?? {}, []) }
      if (reply.status === 'cancelled' || reply.status === 'canceled') {
        return { state: 'failed', error: new EngineError('failed', 'The provider cancelled the work.') }
      }
      throw garbageError(new Error('an unknown status'))
    },
    fetch: ({ base, id }, _, signal) => calls.bytes(`${urlOf(base, id)}/content`, signal),
    async cancel({ base, id }, signal) {
      await calls.json({ method: 'DELETE', url: urlOf(base, id) }, signal).catch(() => {})
    },
  }
}
