import type { Network } from '@/lib/contract/chains'
import type { Rail } from '@/lib/services/chains/rails'

export type Payment = {
  /**
   * Of the payment's own contents, so that every spelling has the same: EVM network:asset:from:nonce, Solana
   * network:message hash.
   */
  key: string
  network: Network
  rail: Rail
  payer: string
  /** Base units of USDC. */
  amount: bigint
} & SignedPayload

export type SignedPayload =
  | { family: 'evm'; payload: EvmPayload; validAfter: bigint; validBefore: bigint }
  | { family: 'solana'; payload: SolanaPayload; feePayer: string; sourceAccount: string; messageHash: string }

export type TermChecks = {
  assertAsset: (asset: string | undefined) => void
  assertRecipient: (isOurs: boolean) => void
  assertAmount: (amount: unknown) => bigint
}

export type ReadPayload = { key: string; payer: string; amount: bigint } & SignedPayload

/** An EIP-3009 authorization as facilitators take it: numbers as decimal text, hex in lower case. */
export type EvmPayload = {
  signature: `0x${string}`
  authorization: {
    from: `0x${string}`
    to: `0x${string}`
    value: string
    validAfter: string
    validBefore: string
    nonce: `0x${string}`
  }
}

export type SolanaPayload = { transaction: string }
