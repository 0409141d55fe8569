import { BLOCKS } from '@/components/rpc/methods/evm-blocks'
import { CALLS } from '@/components/rpc/methods/evm-calls'
import { EXTENSIONS } from '@/components/rpc/methods/evm-extensions'
import { NODE } from '@/components/rpc/methods/evm-node'
import { OPERATIONS } from '@/components/rpc/methods/evm-operations'
import { STATE } from '@/components/rpc/methods/evm-state'
import { TRACE_METHODS } from '@/components/rpc/methods/evm-traces'
import { TRANSACTIONS } from '@/components/rpc/methods/evm-transactions'
import type { MethodDoc } from '@/components/rpc/methods/types'

/** Every method of the EVM's family. Fetched when one is first looked at: see `method-doc.ts`. */
export const EVM_DOCS: ReadonlyMap<string, MethodDoc> = new Map(
  [BLOCKS, STATE, CALLS, TRANSACTIONS, NODE, OPERATIONS, EXTENSIONS, TRACE_METHODS]
    .flat()
    .map((doc) => [doc.method, doc]),
)
