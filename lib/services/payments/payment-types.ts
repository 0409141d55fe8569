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

export type Wanted = {
  key: string
  payer: string
  transaction?: string
  /** Unix seconds: bounds the search. */
  notBefore: bigint
  /** EVM Unix seconds, Solana block height. */
  deadAfter?: bigint
  sourceAccount?: string
}

export type Finding =
  | {
      status: 'paid'
      transaction: string
      block: bigint
      amount: bigint
      isSafe: boolean
      isFinal: boolean
    }
  | { status: 'unpaid'; head: bigint }
  | { status: 'dead'; reason: DeadReason; head: bigint }

type DeadReason = 'expired' | 'canceled' | 'used_elsewhere' | 'failed_on_chain'
export type Paid = Extract<Finding, { status: 'paid' }>

export type Transfer = {
  key: string
  payer: string
  amount: bigint
  transaction: string
  block: bigint
  isFinal: boolean
}

export type Scanned = { transfers: Transfer[]; cursor: string; isDone: boolean }

/** Every method throws when the node does not answer, or is of another chain. */
export interface ChainNode {
  look(wanted: Wanted): Promise<Finding>
  deadAfter(payment: Payment): Promise<bigint>
  acceptsSignature(payment: Payment): Promise<boolean>
  scan(cursor: string | undefined): Promise<Scanned>
}

export interface Chain extends ChainNode {
  /** `isTerminal`: that a payment is missing is believed on no single node's word, which may lag behind. */
  look(wanted: Wanted, options?: { isTerminal?: boolean }): Promise<Finding>
}
