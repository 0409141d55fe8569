import { RpcError } from '../json-rpc'

const TIMEOUT_MS = 30_000

export type Ask = <T = unknown>(method: string, params?: unknown[]) => Promise<T>

type Reply<T> = { result: T; error?: undefined } | { error: { code: number; message: string; data?: unknown } }

/** @throws RpcError the node's answer; TypeError when it cannot be reached. */
export function createAsk(url: string): Ask {
  return async <T>(method: string, params: unknown[] = []): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    // Our own node, whose methods answer what the caller names.
    const reply = (await response.json()) as Reply<T>
    if (reply.error) throw new RpcError(reply.error.code, reply.error.message, reply.error.data)
    return reply.result
  }
}

/** Methods that would make the node send requests to addresses of the caller's. */
const REFUSED = new Set(['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl'])

const READS =
  /^(eth_(get|call$|chainId|blockNumber|gasPrice|feeHistory|maxPriorityFee|blobBaseFee|estimateGas|fillTransaction|createAccessList|simulate|syncing|accounts)|net_|web3_|debug_|trace_|txpool_|anvil_(dumpState|nodeInfo|metadata|getA))/

export const isRefused = (method: string): boolean => REFUSED.has(method)
export const isRead = (method: string): boolean => READS.test(method)
