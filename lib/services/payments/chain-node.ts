import type { Payment } from '@/lib/services/payments/signed-payment'

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
