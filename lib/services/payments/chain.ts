import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { faultOf } from '@/lib/services/chains/node-transport'
import type { Rail } from '@/lib/services/chains/rails'
import { evmNode } from '@/lib/services/payments/chain-evm'
import { solanaNode } from '@/lib/services/payments/chain-solana'
import type { Chain, ChainNode, Finding, Scanned, Wanted } from '@/lib/services/payments/payment-types'

/** The chain could not be asked, or its nodes disagree: nothing is known about the payment. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}

const QUORUM = 2

export function chainOf(rail: Rail): Chain {
  return perProcess(`chain ${rail.network} ${rail.payTo} ${rail.rpcUrls.join()}`, () => createChain(nodesOf(rail)))
}

const nodesOf = (rail: Rail): ChainNode[] =>
  rail.rpcUrls.map((url) => (rail.family === 'evm' ? evmNode(url, rail) : solanaNode(url, rail)))

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
