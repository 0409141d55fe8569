export type Family = 'evm' | 'solana'

export const EVM_NETWORK = 'eip155:8453'
export const SOLANA_NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
export type Network = typeof EVM_NETWORK | typeof SOLANA_NETWORK

/** `Chain ID` line of a sign-in message: the CAIP-2 id without its namespace. Source: API contract, x402.md 1. */
export const CHAIN_REFERENCE: Record<Family, string> = {
  evm: '8453',
  solana: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
}

export const USDC_EVM = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const USDC_SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const USDC_DECIMALS = 6

export const NANO_PER_USDC_UNIT = 1_000n

export const topUpUsd = (units: bigint): string => (Number(units) / 10 ** USDC_DECIMALS).toLocaleString('en')

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** Guesses the family of an address by its form. The address may still be invalid. */
export function familyOf(address: string): Family | undefined {
  if (EVM_ADDRESS.test(address)) return 'evm'
  return BASE58_ADDRESS.test(address) ? 'solana' : undefined
}

export const walletId = (address: string): string => (EVM_ADDRESS.test(address) ? address.toLowerCase() : address)
