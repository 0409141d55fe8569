import type { Sandbox } from '@/lib/services/chains/sandbox'
import { type EvmChain, startEvm } from './evm/chain'
import { ADDRESSES } from './evm/contracts'
import { createScratchChains } from './evm/scratch'
import { evmAddressOf, openHouse, solanaAddressOf } from './house'
import { type AnswerAt, type RpcServer, serveRpc } from './http'
import { type SolanaChain, startSolana } from './solana/chain'

export type ChainsOptions = {
  /** Where the keys are, and with `keeps` the chains. */
  folder: string
  /** Without it the chains are forgotten at their end. */
  keeps: boolean
  /** Ports to try, in this order; 0 takes any. */
  ports: { evm: readonly number[]; solana: readonly number[] }
  /** Between the empty blocks that make a transaction final: two of them. */
  blockEveryMs?: number
}

export type Chains = {
  sandbox: Sandbox
  ports: { evm: number; solana: number }
  evm: EvmChain
  solana: SolanaChain
  /** Resolves with the reason when a chain has ended that nobody stopped. */
  ended: Promise<string>
  stop: () => Promise<void>
}

/** A transaction is `finalized` a little more than twice as long after it was mined. */
const BLOCK_EVERY_MS = 700
/** Where the scratch chains are, by their ids. */
const CHAIN_PATH = '/chain/'

/**
 * Starts both local chains, with the contracts, the house's keys and its receivers in place.
 *
 * @throws Error in words: no program for this machine, no free port, a damaged folder.
 */
export async function startChains({ folder, keeps, ports, blockEveryMs }: ChainsOptions): Promise<Chains> {
  const house = openHouse(folder)
  const evmPayer = evmAddressOf(house.facilitator.evm)
  const receiver = { evm: evmAddressOf(house.receiver.evm), solana: solanaAddressOf(house.receiver.solana) }
  const kept = keeps ? folder : undefined

  const solana = await startSolana({
    folder: kept,
    payer: solanaAddressOf(house.facilitator.solana),
    receiver: receiver.solana,
  })
  const started: (() => unknown)[] = [solana.stop]
  const stop = async () => {
    for (const end of started.splice(0).reverse()) await end()
  }
  try {
    const everyMs = blockEveryMs ?? BLOCK_EVERY_MS
    const evm = await startEvm({ folder: kept, payer: evmPayer, blockEveryMs: everyMs })
    started.push(evm.stop)
    const scratch = createScratchChains({ blockEveryMs: everyMs })
    started.push(scratch.stop)
    const evmAt: AnswerAt = (path) =>
      path === '/'
        ? evm.answer
        : path.startsWith(CHAIN_PATH)
          ? scratch.answerOf(path.slice(CHAIN_PATH.length))
          : undefined
    const evmServer = await serve(evmAt, ports.evm, started)
    const solanaServer = await serve(() => solana.answer, ports.solana, started)
    return {
      sandbox: {
        evmUrl: evmServer.url,
        solanaUrl: solanaServer.url,
        payTo: receiver,
        facilitator: house.facilitator,
        staking: { token: ADDRESSES.stakingToken, contract: ADDRESSES.staking },
      },
      ports: { evm: evmServer.port, solana: solanaServer.port },
      evm,
      solana,
      ended: evm.ended,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function serve(answerAt: AnswerAt, ports: readonly number[], started: (() => unknown)[]): Promise<RpcServer> {
  const server = await serveRpc(answerAt, ports)
  started.push(server.close)
  return server
}
