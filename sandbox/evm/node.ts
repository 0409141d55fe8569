import type { Hex } from 'viem'
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

const BLOCKS_TO_FINAL = 2

/**
 * Lets transactions become `safe` and then `finalized`: after a block with transactions two empty ones follow,
 * `everyMs` apart. Then the chain rests, so that it does not grow while unused.
 */
export function createBlocks(ask: Ask, everyMs: number, onMined: () => void) {
  let timer: NodeJS.Timeout | undefined
  let isPaused = false

  const step = async () => {
    timer = undefined
    if (isPaused || (await isAtRest(ask))) return
    await ask('anvil_mine', ['0x1'])
    onMined()
    begin()
  }
  const begin = () => {
    // A node that went away is its owner's to notice.
    timer ??= setTimeout(() => void step().catch(() => undefined), everyMs)
  }

  return {
    touch: begin,
    pause(): void {
      isPaused = true
    },
    resume(): void {
      isPaused = false
      begin()
    },
    stop(): void {
      isPaused = true
      clearTimeout(timer)
    },
  }
}

async function isAtRest(ask: Ask): Promise<boolean> {
  const latest = Number(await ask<Hex>('eth_blockNumber'))
  for (let number = latest; number > Math.max(0, latest - BLOCKS_TO_FINAL); number--) {
    const count = await ask<Hex>('eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`])
    if (Number(count) > 0) return false
  }
  return true
}
