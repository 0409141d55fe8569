import { BLOCKS, NODE, STATE } from '@/components/rpc/methods/starknet-blocks'
import { FEES_AND_TRACES, TRANSACTIONS } from '@/components/rpc/methods/starknet-transactions'
import type { MethodDoc } from '@/components/rpc/methods/types'

/** Every method of Starknet. Fetched when one is first looked at: see `method-doc.ts`. */
export const STARKNET_DOCS: ReadonlyMap<string, MethodDoc> = new Map(
  [BLOCKS, STATE, TRANSACTIONS, FEES_AND_TRACES, NODE].flat().map((doc) => [doc.method, doc]),
)
