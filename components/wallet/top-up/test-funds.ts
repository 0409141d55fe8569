import { queryOptions } from '@tanstack/react-query'
import { askFaucet, holdingQuery } from '@/components/wallet/top-up/holdings'
import { type Family, SUGGESTED_TOP_UP } from '@/lib/contract/chains'

/**
 * How much test USDC a test wallet holds, in base units, once the faucet has filled it: a wallet with too little for a
 * top-up is given some, and one with enough is not, since the faucet gives a wallet only so much an hour.
 */
export const testFundsQuery = (family: Family, address: string) =>
  queryOptions({
    queryKey: ['test-funds', family, address],
    queryFn: async ({ client }): Promise<bigint> => {
      const holding = { ...holdingQuery(family, address), staleTime: 0 }
      const held = await client.fetchQuery(holding)
      if (held >= SUGGESTED_TOP_UP) return held
      await askFaucet(address)
      return await client.fetchQuery(holding)
    },
    retry: false,
  })
