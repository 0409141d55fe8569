import 'server-only'
import type { Answer } from '@/lib/services/rpc-nodes/node-outcome'

/** Codes by which nodes say that we ask too often. Source: providers' own pages. */
const RATE_CODES: ReadonlySet<number> = new Set([-32029, -32016, -32090, -32429, 429])
/** "Limit exceeded" (EIP-1474): too often, or more than the node gives in one reply. */
const LIMIT_EXCEEDED = -32005
const RATE_WORDS = /rate.?limit|too many requests|(request|daily|monthly|credit|capacity).{0,20}(limit|exceeded)|quota/i
/** What a contract says is its own. */
const REVERTED = /revert/i

/**
 * Whether a single reply says no for a reason that another node may not have: `rate`, we ask this one too often and it did
 * nothing; `size`, it gives less than was asked for.
 */
export function limitOf({ scanned }: Answer): 'rate' | 'size' | undefined {
  const [item] = scanned.items
  if (scanned.isBatch || item === undefined || item.outcome === 'result') return undefined
  if (RATE_CODES.has(item.errorCode ?? 0) || isRateLimit(item.errorMessage)) return 'rate'
  return item.errorCode === LIMIT_EXCEEDED ? 'size' : undefined
}

export const isRateLimit = (message: string | undefined): boolean =>
  message !== undefined && RATE_WORDS.test(message) && !REVERTED.test(message)
