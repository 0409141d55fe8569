import 'server-only'
import type { Charge } from '@/lib/billing/ledger'
import type { Meter } from '@/lib/billing/meter'
import type { RequestContext } from '@/lib/core/context'
import type { JobKind } from '@/lib/jobs/job'
import { queueJob } from '@/lib/jobs/queue'
import type { Model } from '@/lib/models/model'

/** The `run` stage of a queue route: the work goes into the queue, and takes the request's hold with it. */
export function queueing(kind: JobKind) {
  return (order: { model: Model; input: unknown; charge: Charge }, meter: Meter, _context: RequestContext) =>
    queueJob({ kind, modelId: order.model.id, input: order.input, hold: meter.hold, charge: order.charge })
}
