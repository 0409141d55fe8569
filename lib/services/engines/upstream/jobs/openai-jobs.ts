import 'server-only'
import type { JobProvider } from '@/lib/services/engines/engine'
import { failedState, jobCalls, jobIdIn, type ProviderOptions } from '@/lib/services/engines/upstream/jobs/calls'

const WORKING: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'processing', 'running', 'pending'])
const DONE: ReadonlySet<unknown> = new Set(['completed', 'succeeded'])

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
      return { base, id: jobIdIn(reply) }
    },
    async poll({ base, id }, signal) {
      const reply = await calls.json({ method: 'GET', url: urlOf(base, id) }, signal)
      if (DONE.has(reply.status)) return { state: 'done', result: `${urlOf(base, id)}/content` }
      if (WORKING.has(reply.status)) return { state: 'working' }
      return failedState(reply)
    },
    fetch: ({ base, id }, _, signal) => calls.bytes(`${urlOf(base, id)}/content`, signal),
    async cancel({ base, id }, signal) {
      await calls.json({ method: 'DELETE', url: urlOf(base, id) }, signal).catch(() => {})
    },
  }
}
