import { BLOCKS } from '@/lib/rpc/catalogue/evm-blocks'
import { CALLS } from '@/lib/rpc/catalogue/evm-calls'
import { EXTENSIONS } from '@/lib/rpc/catalogue/evm-extensions'
import { NODE } from '@/lib/rpc/catalogue/evm-node'
import { OPERATIONS } from '@/lib/rpc/catalogue/evm-operations'
import { STATE } from '@/lib/rpc/catalogue/evm-state'
import { TRACE_METHODS } from '@/lib/rpc/catalogue/evm-traces'
import { TRANSACTIONS } from '@/lib/rpc/catalogue/evm-transactions'
import type { MethodDoc } from '@/lib/rpc/catalogue/types'

/** Every method of the EVM's family. Fetched when one is first looked at: see `method-doc.ts`. */
export const EVM_DOCS: ReadonlyMap<string, MethodDoc> = new Map(
  [BLOCKS, STATE, CALLS, TRANSACTIONS, NODE, OPERATIONS, EXTENSIONS, TRACE_METHODS]
    .flat()
    .map((doc) => [doc.method, doc]),
)
