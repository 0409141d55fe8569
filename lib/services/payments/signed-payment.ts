import type { Network } from '@/lib/contract/chains'
import type { Rail } from '@/lib/services/chains/rails'

/** One signed payment, whatever form it came in. */
export type Payment = {
  /** Of its own contents, so that every spelling of it has the same: EVM network:asset:from:nonce, Solana network:message hash. */
  key: string
  network: Network
  rail: Rail
  /** Who signed, in the form that is a wallet's id. */
  payer: string
  /** Base units of USDC. */
  amount: bigint
} & SignedPayload

/** What was signed, spelled anew from its parsed bytes. */
export type SignedPayload =
  | { family: 'evm'; payload: EvmPayload; validAfter: bigint; validBefore: bigint }
  | { family: 'solana'; payload: SolanaPayload; feePayer: string; sourceAccount: string; messageHash: string }

/** The checks that every family runs at its own place in the order. */
export type TermChecks = {
  /** The asset that the payload itself names; an EVM payload names none. */
  assertAsset: (asset: string | undefined) => void
  assertRecipient: (isOurs: boolean) => void
  /** @returns base units, within the bounds. */
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

/** A partly signed transaction, in base64. The facilitator adds the fee payer's signature. */
export type SolanaPayload = { transaction: string }
