import { quantityOf } from '@/components/rpc/response/decode/quantity'
import { askChain } from '@/components/rpc/sign/ask-chain'
import { isRecord } from '@/lib/browser/api'
import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'

/** How long before each look. Few, since each is paid. */
export const WAITS_MS = [800, 1_500, 3_000, 5_000, 8_000, 12_000, 20_000, 30_000]
/** Asked that long before the first look, where blocks come slowly. */
const MAX_FIRST_WAIT_MS = 4_000

export type Receipt = {
  isSuccess: boolean
  block: bigint
  gasUsed: bigint
  /** In wei. */
  fee?: bigint
  /** Of the contract that it made. */
  contract?: string
}

/**
 * Looks for a receipt a few times, and less often as it takes longer. Nothing when it is not there by then.
 *
 * @throws as `askChain`; DOMException when `signal` aborts.
 */
export async function awaitReceipt(
  network: RpcNetwork,
  hash: string,
  isLocal: boolean,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const calls = [{ method: 'eth_getTransactionReceipt', params: [hash] }]
  for (const [look, waitMs] of WAITS_MS.entries()) {
    const isFirstOfSlow = look === 0 && !isLocal
    await pause(isFirstOfSlow ? Math.min(MAX_FIRST_WAIT_MS, network.blockSeconds * 1_000) : waitMs, signal)
    const [said] = await askChain(network, calls, signal).catch((error: unknown) => {
      // Somebody else's turn: the next look will tell.
      if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') return []
      throw error
    })
    const receipt = said && 'result' in said ? receiptOf(said.result) : undefined
    if (receipt) return receipt
  }
  return undefined
}

function receiptOf(value: unknown): Receipt | undefined {
  if (!isRecord(value)) return undefined
  const block = quantityOf(value.blockNumber)
  const gasUsed = quantityOf(value.gasUsed)
  if (block === undefined || gasUsed === undefined) return undefined
  const price = quantityOf(value.effectiveGasPrice)
  const { contractAddress } = value
  return {
    isSuccess: quantityOf(value.status) === 1n,
    block,
    gasUsed,
    ...(price !== undefined && { fee: gasUsed * price }),
    ...(typeof contractAddress === 'string' &&
      /^0x[\da-f]{40}$/i.test(contractAddress) && { contract: contractAddress }),
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
