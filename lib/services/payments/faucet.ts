import 'server-only'
import { isAddress as isSolanaAddress } from '@solana/kit'
import { isAddress as isEvmAddress, zeroAddress } from 'viem'
import { z } from 'zod'
import { type Family, familyOf, walletId } from '@/lib/contract/chains'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { perProcess } from '@/lib/kernel/per-process'
import { sandbox } from '@/lib/services/chains/sandbox'
import { memoryWindows, windowEnd, windowIsFull } from '@/lib/services/limits/limits'

/** 25 USD in USDC base units. */
export const FAUCET_UNITS = 25_000_000n
const MAX_PER_ADDRESS = 20
const MAX_FOR_ALL = 200
const WINDOW_MS = 3_600_000
const TIMEOUT_MS = 10_000

const Reply = z.object({ error: z.object({ message: z.string() }).optional() })

export type Funded = { family: Family; nodeUrl: string }

/**
 * Gives an address of either family test USDC, in base units, with what it needs for fees, and on the EVM tokens to
 * stake.
 * @throws ApiError INVALID_REQUEST when it is no address; SERVICE_UNAVAILABLE when the local chains do not run.
 */
export async function fundAddress(address: string, usdcUnits: bigint): Promise<Funded> {
  const family = assertAddress(address)
  const chains = sandbox()
  if (!chains) throw notRunning()
  const nodeUrl = family === 'evm' ? chains.evmUrl : chains.solanaUrl
  const { error } = await askNode(nodeUrl, 'sandbox_fund', [address, usdcUnits.toString()])
  if (error) throw new Error(`the faucet failed: ${error.message}`)
  return { family, nodeUrl }
}

export function countVisit(address: string, nowMs = Date.now()): void {
  const visits = perProcess('faucet-visits', () => memoryWindows())
  const endsAtMs = windowEnd(nowMs, WINDOW_MS)
  // Who had enough does not use up what is there for the others.
  const isAllowed =
    visits.take(`of ${walletId(address)}`, MAX_PER_ADDRESS, endsAtMs).isAllowed &&
    visits.take('all', MAX_FOR_ALL, endsAtMs).isAllowed
  if (isAllowed) return
  throw windowIsFull('The faucet has given enough for this hour. Try again in the next one.', endsAtMs, nowMs)
}

export function assertAddress(address: string): Family {
  const family = familyOf(address)
  if (family === 'evm' && isEvmAddress(address) && address !== zeroAddress) return family
  if (family === 'solana' && isSolanaAddress(address)) return family
  const message = 'This is no address: give 0x and 40 hex digits, or a Solana address in base58.'
  throw new ApiError('INVALID_REQUEST', message, { issues: [{ code: 'custom', path: ['address'], message }] })
}

export async function fundFees(nodeUrl: string, address: string): Promise<void> {
  if (assertAddress(address) !== 'evm') throw invalidField(['address'], 'must be an EVM address: 0x and 40 hex digits')
  const { error } = await askNode(nodeUrl, 'sandbox_ether', [address])
  if (error) throw new Error(`the faucet failed: ${error.message}`)
}

async function askNode(url: string, method: string, params: string[]): Promise<z.infer<typeof Reply>> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return Reply.parse(await response.json())
  } catch (cause) {
    throw notRunning(cause)
  }
}

const notRunning = (cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The local chains are not running. Check the server log.', {
    cause,
    retryAfterSeconds: 5,
  })
