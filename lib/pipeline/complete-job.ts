import 'server-only'
import { newId } from '@/lib/contract/ids'
import { CompleteRequest } from '@/lib/contract/jobs.schema'
import { ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import type { Facts } from '@/lib/kernel/request-context'
import { json } from '@/lib/pipeline/body'
import type { RouteHandler } from '@/lib/pipeline/endpoint'
import { metered } from '@/lib/pipeline/metered'
import { jsonReply } from '@/lib/pipeline/reply'
import type { JobKind } from '@/lib/services/jobs/job'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { readJob, type SeenJob } from '@/lib/services/jobs/read-job'
import { cancelJob } from '@/lib/services/jobs/statements'
import { forgetMedia } from '@/lib/services/jobs/sweep'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/spendable'
import { limitRetrieve } from '@/lib/services/limits/rate-limit'

/**
 * `POST …/complete`: the caller needs the job no more. What it made is deleted; one that has not ended is cancelled, and its
 * money given back. Again does nothing.
 */
export function completing(kind: JobKind): RouteHandler {
  return metered<CompleteRequest, SeenJob, Promise<boolean>>({
    parse: json(CompleteRequest),
    async price(named, caller, { facts }) {
      const job = await readJob(caller, kind, named)
      facts.modelId = job.modelId
      return { requestId: newId('complete'), amount: ZERO, work: job }
    },
    async enter(_, caller, context) {
      await limitRetrieve(context, caller)
      return { leave: () => {} }
    },
    run: (job, { hold }, { facts }) => complete(job, hold, facts),
    respond: async (isDone) => jsonReply({ success: await isDone }),
  })
}

async function complete(job: SeenJob, owner: { accountId: string }, facts: Facts): Promise<boolean> {
  try {
    const database = await getDb()
    const isCancelled = (job.state === 'queued' || job.state === 'running') && (await cancelJob(database, job.id))
    // It may have ended between the look and the cancel.
    const { media } = isCancelled ? job : await readJob(owner, job.kind, { id: job.id })
    if (isCancelled) {
      const balances = await balancesOf(owner.accountId)
      Object.assign(facts, { balanceUsd: creditOf(balances), balanceDiem: balances.DIEM })
    }
    if (media) await forgetMedia(database, await mediaStore(), { id: job.id, media: media.id })
    return true
  } catch (error) {
    log().warn({ job: job.id, error: String(error) }, 'a job could not be completed')
    return false
  }
}
