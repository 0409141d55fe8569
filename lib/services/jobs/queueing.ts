import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { JobKind } from '@/lib/services/jobs/job'
import { queueJob } from '@/lib/services/jobs/queue'
import type { Charge } from '@/lib/services/ledger/ledger'
import type { Meter } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'

export type QueueOrder = { model: Model; input: unknown; charge: Charge }

/** The `run` stage of a queue route: the work goes into the queue, and takes the request's hold with it. */
export function queueing(kind: JobKind) {
  return async (order: QueueOrder, meter: Meter, { facts }: RequestContext): Promise<string> => {
    const { model, input, charge } = order
    try {
      return await queueJob({ kind, modelId: model.id, input, hold: meter.hold, charge })
    } catch (error) {
      // Contract, README 8.2: a 429 says whose limit it was. The queue's is the account's.
      if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') facts.rateLimitType = 'user'
      throw error
    }
  }
}
