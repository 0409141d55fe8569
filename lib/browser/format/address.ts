import { type Family, familyOf, walletId } from '@/lib/contract/chains'

const HEAD_CHARS = 6
const TAIL_CHARS = 4

export const CHAIN_NAME: Record<Family, string> = { evm: 'Base', solana: 'Solana' }

/** Shortens an address to its two ends: `0x1234…abcd`, `7xKX…9aPq`. */
export function shortAddress(address: string): string {
  const head = familyOf(address) === 'evm' ? HEAD_CHARS : HEAD_CHARS - 2
  if (address.length <= head + TAIL_CHARS) return address
  return `${address.slice(0, head)}…${address.slice(-TAIL_CHARS)}`
}

export const isSameAddress = (one: string, other: string): boolean => walletId(one) === walletId(other)
