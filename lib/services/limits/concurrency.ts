import 'server-only'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { type Caller, keyIdOf, type RequestContext } from '@/lib/kernel/request-context'
import { limits } from '@/lib/services/limits/limits'
import { sharedPlaces } from '@/lib/services/limits/shared-places'

const RETRY_AFTER_SECONDS = 2

/**
 * Takes a place among the requests that a caller may have under way, counted per key, wallet or session's account, and
 * per address. The answer gives the place back; calling it again does nothing.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED, for a wallet X402_CONCURRENCY_LIMIT. Source: API contract, README 7.3 and 8.
 */
export async function enter(context: RequestContext, caller: Caller): Promise<() => void> {
  const { perKey, perWallet, perIp } = limits().concurrency
  const keyId = keyIdOf(caller)
  const isWallet = caller.kind === 'wallet' && keyId === undefined
  const own = keyId === undefined ? `account:${caller.accountId}` : `key:${keyId}`
  const address = `address:${context.clientAddress}`
  const ownLimit = isWallet ? perWallet : perKey

  const [hasOwn, hasAddress] = await Promise.all([takePlace(own, ownLimit), takePlace(address, perIp)])
  const leave = leaveOnce([...(hasOwn && ownLimit > 0 ? [own] : []), ...(hasAddress && perIp > 0 ? [address] : [])])
  if (hasOwn && hasAddress) return leave
  leave()
  if (hasOwn) {
    context.facts.rateLimitType = 'user'
    throw tooManyUnderWay('RATE_LIMIT_EXCEEDED', perIp)
  }
  context.facts.rateLimitType = keyId === undefined ? 'user' : 'api_key'
  throw tooManyUnderWay(isWallet ? 'X402_CONCURRENCY_LIMIT' : 'RATE_LIMIT_EXCEEDED', ownLimit)
}

const takePlace = (name: string, limit: number) => limit === 0 || sharedPlaces().take(name, limit)

function leaveOnce(names: string[]): () => void {
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    for (const name of names) sharedPlaces().leave(name)
  }
}

const tooManyUnderWay = (code: ErrorCode, bound: number): ApiError =>
  new ApiError(code, `${bound} requests are already running. Wait for one to finish.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
