import { dollarsOf, type ProviderPrices, readPrice } from '@/lib/contract/providers'

/**
 * Makes a cost of a vendor's four prices. Free where input and output are; undefined where one of them is not told.
 */
export function tokenCost(
  prices: { input: unknown; output: unknown; cacheInput?: unknown; cacheWrite?: unknown },
  tenTimes: number,
): ProviderPrices | null | undefined {
  const input = readPrice(prices.input, tenTimes)
  const output = readPrice(prices.output, tenTimes)
  if (input === undefined || output === undefined) return undefined
  if (input === 0n && output === 0n) return null
  const cacheInput = readPrice(prices.cacheInput, tenTimes)
  const cacheWrite = readPrice(prices.cacheWrite, tenTimes)
  return {
    input: dollarsOf(input),
    output: dollarsOf(output),
    // A vendor that says nothing of a cache writes a zero as well.
    ...(cacheInput && { cacheInput: dollarsOf(cacheInput) }),
    ...(cacheWrite && { cacheWrite: dollarsOf(cacheWrite) }),
  }
}
