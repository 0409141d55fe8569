import 'server-only'
import { EVM_NETWORK, SOLANA_NETWORK } from '@/lib/contract/chains'
import { hex } from '@/lib/contract/ids'
import { config } from '@/lib/kernel/config'
import { nodesOf } from '@/lib/services/chains/rails'

/** Source: API contract, x402.md 3.1 and 3.3. */
export const MAX_AGE_MS = 5 * 60_000
/** A wallet's clock may be ahead by so much. */
export const MAX_AHEAD_MS = 30_000
const NONCE_BYTES = 16
/** EIP-4361's characters of a statement; wallets' parsers refuse a text with anything else. */
const NOT_IN_STATEMENT = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]/g

type Challenge = {
  info: {
    domain: string
    uri: string
    version: '1'
    nonce: string
    issuedAt: string
    expirationTime: string
    statement: string
  }
  supportedChains: { chainId: string; type: 'eip191' | 'eip1271' | 'ed25519' }[]
}

export function challenge(uri: string, nowMs = Date.now()): Challenge {
  const { serviceName } = config()
  return {
    info: {
      // With its port: wallets compare it with the page they are on.
      domain: new URL(uri).host,
      uri,
      version: '1',
      nonce: hex(NONCE_BYTES),
      issuedAt: new Date(nowMs).toISOString(),
      expirationTime: new Date(nowMs + MAX_AGE_MS).toISOString(),
      statement: `Sign in to ${serviceName}. This is free and moves no money.`.replace(NOT_IN_STATEMENT, ''),
    },
    supportedChains: [
      { chainId: EVM_NETWORK, type: 'eip191' },
      // A contract's signature is checked by asking it.
      ...(nodesOf('evm').length > 0 ? [{ chainId: EVM_NETWORK, type: 'eip1271' } as const] : []),
      { chainId: SOLANA_NETWORK, type: 'ed25519' },
    ],
  }
}
