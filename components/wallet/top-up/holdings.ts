import { queryOptions } from '@tanstack/react-query'
import { fetchJson, isRecord } from '@/lib/browser/api'
import { type Family, USDC_EVM, USDC_SOLANA } from '@/lib/contract/chains'
import { SUGGESTED_TOP_UP } from '@/lib/contract/limits'

const FRESH_MS = 15_000
// `balanceOf(address)`
const BALANCE_OF = '0x70a08231'
const WORD_HEX_DIGITS = 64
const MAX_TOKEN_ACCOUNTS = 50
// Offset of the amount in a token account of Solana: eight bytes, little-endian. Source: SPL Token, `Account`.
const AMOUNT_OFFSET = 64
const AMOUNT_BYTES = 8

export const holdingKey = (family: Family, address: string) => ['holding', family, address] as const

/** Asks how much USDC an address holds on its chain, in base units. */
export const holdingQuery = (family: Family, address: string) =>
  queryOptions({
    queryKey: holdingKey(family, address),
    queryFn: ({ signal }) => (family === 'evm' ? heldOnEvm(address, signal) : heldOnSolana(address, signal)),
    staleTime: FRESH_MS,
  })

async function heldOnEvm(address: string, signal: AbortSignal): Promise<bigint> {
  const data = BALANCE_OF + address.slice(2).toLowerCase().padStart(WORD_HEX_DIGITS, '0')
  const word = await askChain('evm', 'eth_call', [{ to: USDC_EVM, data }, 'latest'], signal)
  if (typeof word !== 'string' || !/^0x[0-9a-f]{64}/i.test(word)) throw new TypeError('The chain gave no balance.')
  return BigInt(word.slice(0, WORD_HEX_DIGITS + 2))
}

async function heldOnSolana(owner: string, signal: AbortSignal): Promise<bigint> {
  const params = [owner, { mint: USDC_SOLANA }, { encoding: 'base64', commitment: 'confirmed' }]
  const result = await askChain('solana', 'getTokenAccountsByOwner', params, signal)
  const accounts = isRecord(result) && Array.isArray(result.value) ? result.value : []
  return accounts.slice(0, MAX_TOKEN_ACCOUNTS).reduce((sum: bigint, account) => sum + amountOf(account), 0n)
}

function amountOf(entry: unknown): bigint {
  const account = isRecord(entry) && isRecord(entry.account) ? entry.account : {}
  const [data] = Array.isArray(account.data) ? account.data : []
  if (typeof data !== 'string') return 0n
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
  if (bytes.length < AMOUNT_OFFSET + AMOUNT_BYTES) return 0n
  return new DataView(bytes.buffer).getBigUint64(AMOUNT_OFFSET, true)
}

/** Reads a chain through the service, so that the page talks to nobody else. @throws ApiError, TypeError */
async function askChain(family: Family, method: string, params: unknown[], signal: AbortSignal): Promise<unknown> {
  const reply = await fetchJson<unknown>(`/api/chain/${family}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  })
  if (!isRecord(reply) || reply.error || !('result' in reply)) throw new TypeError('The chain gave no answer.')
  return reply.result
}

/** Funds an address of the sandbox with test USDC. Returns dollars. @throws ApiError */
export async function askFaucet(address: string): Promise<number> {
  const reply = await fetchJson<{ funded: number }>('/api/sandbox/faucet', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address }),
  })
  return reply.funded
}

/**
 * Fills a test wallet that holds too little for a top-up, and returns its USDC in base units. One with enough is not
 * filled: the faucet limits what a wallet gets an hour.
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
