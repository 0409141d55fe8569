import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { faultOf } from '@/lib/services/chains/node-transport'
import type { Rail } from '@/lib/services/chains/rails'
import { evmNode } from '@/lib/services/payments/chain-evm'
import { solanaNode } from '@/lib/services/payments/chain-solana'
import type { Payment } from '@/lib/services/payments/payment'

/** The chain could not be asked, or its nodes do not agree: nothing is known about the payment. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}

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

/** Answers that must agree before a payment is given up, where several nodes are configured. */
const QUORUM = 2

/** The chain of a rail. */
export function chainOf(rail: Rail): Chain {
  return perProcess(`chain ${rail.network} ${rail.payTo} ${rail.rpcUrls.join()}`, () => createChain(nodesOf(rail)))
}

const nodesOf = (rail: Rail): ChainNode[] =>
  rail.rpcUrls.map((url) => (rail.family === 'evm' ? evmNode(url, rail) : solanaNode(url, rail)))

/** Asks nodes in order until one answers. */
export function createChain(nodes: ChainNode[]): Chain {
  async function ask<T>(
    question: (node: ChainNode) => Promise<T>,
    from = nodes,
  ): Promise<{ answer: T; by: ChainNode }> {
    const errors: unknown[] = []
    for (const node of from) {
      try {
        return { answer: await question(node), by: node }
      } catch (error) {
        errors.push(error)
      }
    }
    throw new ChainUnavailable('no node of the chain answers', { cause: new Error(faultOf(errors[0])) })
  }
  const first = async <T>(question: (node: ChainNode) => Promise<T>): Promise<T> => (await ask(question)).answer

  async function look(wanted: Wanted, { isTerminal = false } = {}): Promise<Finding> {
    const { answer, by } = await ask((node) => node.look(wanted))
    if (answer.status === 'paid' || nodes.length === 1 || (answer.status === 'unpaid' && !isTerminal)) return answer
    const others = await Promise.allSettled(nodes.filter((node) => node !== by).map((node) => node.look(wanted)))
    const answers = [answer, ...others.flatMap((other) => (other.status === 'fulfilled' ? [other.value] : []))]
    const contrary =
      answers.find(({ status }) => status === 'paid') ?? answers.find(({ status }) => status === 'unpaid')
    if (contrary?.status === 'paid') return contrary
    if (answers.length < QUORUM) throw new ChainUnavailable('too few nodes answer to give a payment up')
    return contrary ?? answer
  }

  /** A node that stands still has nothing new to tell: the others are asked before that is believed. */
  async function scan(cursor: string | undefined): Promise<Scanned> {
    const { answer, by } = await ask((node) => node.scan(cursor))
    const others = nodes.slice(nodes.indexOf(by) + 1)
    if (cursor === undefined || answer.cursor !== cursor || others.length === 0) return answer
    return ask((node) => node.scan(cursor), others).then(
      (other) => other.answer,
      () => answer,
    )
  }

  return {
    look,
    scan,
    deadAfter: (payment) => first((node) => node.deadAfter(payment)),
    acceptsSignature: (payment) => first((node) => node.acceptsSignature(payment)),
  }
}
