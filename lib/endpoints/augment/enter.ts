import 'server-only'
import type { AugmentCall } from '@/lib/endpoints/augment/quote'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Entry } from '@/lib/pipeline/metered'
import { limitRoute } from '@/lib/services/limits/rate-limit'

type Enter = (quote: unknown, caller: Caller, context: RequestContext) => Promise<Entry>

/**
 * Search and scrape are limited each by itself, by the operator's `routes.augment`.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED. Source: API contract, README 8.
 */
export const enterLimited =
  (call: AugmentCall): Enter =>
  async (_quote, caller, context) => {
    await limitRoute(context, caller, 'augment', `augment-${call}`)
    return ENTERED
  }

/** What has no limit of its own is counted in the bucket that all such routes share. */
export const enterDefault: Enter = async (_quote, caller, context) => {
  await limitRoute(context, caller, 'default')
  return ENTERED
}

/** A window is not given back. */
const ENTERED: Entry = { leave() {} }
