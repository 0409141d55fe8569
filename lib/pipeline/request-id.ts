import 'server-only'
import { REQUEST_NAME_HEADER } from '@/lib/contract/headers'
import { hex, newId } from '@/lib/contract/ids'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'

const LOCATION = 'LGN'

/** Names a request in the log and in the header `CF-RAY` of its reply. */
export const newRay = (): string => `${hex(8)}-${LOCATION}`

/**
 * Returns the request's id with `prefix`. Our own page chooses it beforehand, so that it can ask for the charge of an
 * answer it never received; the ledger shows only an account's own charges.
 */
export function requestIdOf({ headers }: RequestContext, { via }: Caller, prefix: string): string {
  const name = via.type === 'session' ? headers.get(REQUEST_NAME_HEADER) : null
  return name !== null && isName(name, prefix) ? name : newId(prefix)
}

const isName = (name: string, prefix: string): boolean =>
  name.startsWith(`${prefix}-`) && /^[0-9a-f]{24}$/.test(name.slice(prefix.length + 1))
