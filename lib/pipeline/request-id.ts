import { newId } from '@/lib/contract/ids'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'

const HEADER = 'x-service-request-name'

/**
 * The id of a request, which begins with `prefix`. A page of our own names it beforehand: an answer may be left before a
 * byte of it arrives, and is paid for all the same. The ledger tells nothing by this id but one account's own charges.
 */
export function requestIdOf({ headers }: RequestContext, { via }: Caller, prefix: string): string {
  const name = via.type === 'session' ? headers.get(HEADER) : null
  return name !== null && isName(name, prefix) ? name : newId(prefix)
}

/** Of the form that `newId` gives. */
const isName = (name: string, prefix: string): boolean =>
  name.startsWith(`${prefix}-`) && /^[0-9a-f]{24}$/.test(name.slice(prefix.length + 1))
