import type { Caller } from '@/lib/access/caller'
import type { RequestContext } from '@/lib/core/context'
import { newId } from '@/lib/core/ids'

const HEADER = 'x-service-request-name'
const NAME = /^chatcmpl-[0-9a-f]{24}$/

/**
 * The id of a chat request. A page of our own names it beforehand: an answer may be left before a byte of it arrives, and
 * is paid for all the same. The ledger tells nothing by this id but one account's own charges.
 */
export function requestIdOf({ headers }: RequestContext, { via }: Caller): string {
  const name = via.type === 'session' ? headers.get(HEADER) : null
  return name !== null && NAME.test(name) ? name : newId('chatcmpl')
}
