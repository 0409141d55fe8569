import type { Payment } from '@/lib/services/payments/signed-payment'

/** What is looked for. */
export type Wanted = {
  /** Says which payment: see `Payment.key`. */
  key: string
  payer: string
  /** Where it is said to be, or was; searched for without it, or when it is not there. */
  transaction?: string
  /** It cannot be on the chain before this moment: Unix seconds. Bounds the search. */
  notBefore: bigint
  /** The chain takes it no more after this: EVM Unix seconds, Solana block height. */
  deadAfter?: bigint
  /** The payer's token account, Solana only. */
  sourceAccount?: string
}

export type Finding =
  | {
      status: 'paid'
      transaction: string
      block: bigint
      /** What moved, in base units. */
      amount: bigint
      /** Good for large amounts. */
      isSafe: boolean
      /** The chain will not take it back. */
      isFinal: boolean
    }
  /** Not there, and may still come. `head` is the newest block that was seen. */
  | { status: 'unpaid'; head: bigint }
  /** Not there, and cannot come any more. */
  | { status: 'dead'; reason: DeadReason; head: bigint }

type DeadReason = 'expired' | 'canceled' | 'used_elsewhere' | 'failed_on_chain'
export type Paid = Extract<Finding, { status: 'paid' }>

/** A transfer of USDC to us, whoever sent it in. */
export type Transfer = {
  key: string
  payer: string
  amount: bigint
  transaction: string
  block: bigint
  isFinal: boolean
}

/** Transfers after a cursor, and the cursor to go on from. */
export type Scanned = { transfers: Transfer[]; cursor: string; isDone: boolean }

/** One node of a chain. Every method throws when the node does not answer, or is of another chain. */
export interface ChainNode {
  look(wanted: Wanted): Promise<Finding>
  /** Up to when the chain may take a payment that is seen now for the first time. */
  deadAfter(payment: Payment): Promise<bigint>
  /** Whether a contract at the payer's address accepts the signature. EVM only. */
  acceptsSignature(payment: Payment): Promise<boolean>
  /** Transfers that are deep enough to be credited. Without a cursor: none, and the cursor of now. */
  scan(cursor: string | undefined): Promise<Scanned>
}

/** A rail's chain, by its nodes in order of preference. */
export interface Chain extends ChainNode {
  /** `isTerminal`: that a payment is not there is believed on no single node's word, which may stand still or lag behind. */
  look(wanted: Wanted, options?: { isTerminal?: boolean }): Promise<Finding>
}
