import type { Sandbox } from '@/lib/services/chains/sandbox'
import { type EvmChain, startEvm } from './evm/chain'
import { ADDRESSES } from './evm/contracts'
import { createScratchChains } from './evm/scratch'
import { type AnswerAt, type RpcServer, serveRpc } from './http'
import { evmAddressOf, openKeys, solanaAddressOf } from './keys'
import { type SolanaChain, startSolana } from './solana/chain'

export type ChainsOptions = {
  folder: string
  keeps: boolean
  ports: { evm: readonly number[]; solana: readonly number[] }
  blockEveryMs?: number
}

export type Chains = {
  sandbox: Sandbox
  ports: { evm: number; solana: number }
  evm: EvmChain
  solana: SolanaChain
  ended: Promise<string>
  stop: () => Promise<void>
}

const BLOCK_EVERY_MS = 700
const CHAIN_PATH = '/chain/'

/**
 * Starts both local chains with their contracts, keys and receivers.
 *
 * @throws Error in words: no program for this machine, no free port, a damaged folder.
 */
export async function startChains({ folder, keeps, ports, blockEveryMs }: ChainsOptions): Promise<Chains> {
  const keys = openKeys(folder)
  const evmPayer = evmAddressOf(keys.facilitator.evm)
  const receiver = { evm: evmAddressOf(keys.receiver.evm), solana: solanaAddressOf(keys.receiver.solana) }
  const kept = keeps ? folder : undefined

  const solana = await startSolana({
    folder: kept,
    payer: solanaAddressOf(keys.facilitator.solana),
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
        facilitator: keys.facilitator,
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
