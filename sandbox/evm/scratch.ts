import { NETWORKS } from '@/lib/contract/rpc-networks'
import { METHOD_NOT_FOUND, RpcError, type RpcRequest } from '../json-rpc'
import { startAnvil } from './anvil'
import { type Ask, createAsk, isRead, isRefused } from './anvil.ts'
import { createBlocks } from './blocks.ts'
import { addEther, installMulticall } from './contracts'

const IDLE_MS = 15 * 60_000
const LOOK_EVERY_MS = 60_000
const ETHER = 'sandbox_ether'

type Chain = { ask: Ask; touch: () => void; stop: () => Promise<void>; isWritten: boolean; usedAtMs: number }

/**
 * Local chains with the ids of the other EVM networks, for JSON-RPC without a network. Each starts with its first
 * request, empty but for Multicall3, and is forgotten when it ends.
 */
export function createScratchChains(options: { blockEveryMs: number }) {
  const ids = new Set(NETWORKS.filter(({ family }) => family === 'evm').map(({ chainId }) => String(Number(chainId))))
  const chains = new Map<string, Promise<Chain>>()

  const open = (chainId: string): Promise<Chain> => {
    const known = chains.get(chainId)
    if (known) return known
    // By then another may have taken its place.
    const forget = () => {
      if (chains.get(chainId) === starting) chains.delete(chainId)
    }
    const starting = startScratch(chainId, options.blockEveryMs, () => forget())
    chains.set(chainId, starting)
    starting.catch(forget)
    return starting
  }
  const sweep = setInterval(() => {
    for (const [chainId, starting] of chains) {
      void starting.then(
        (chain) => {
          if (chain.isWritten || Date.now() - chain.usedAtMs < IDLE_MS) return
          chains.delete(chainId)
          return chain.stop()
        },
        () => undefined,
      )
    }
  }, LOOK_EVERY_MS)
  sweep.unref()

  return {
    answerOf(chainId: string) {
      if (!ids.has(chainId)) return undefined
      return async (request: RpcRequest) => answer(await open(chainId), request)
    },
    async stop(): Promise<void> {
      clearInterval(sweep)
      const started = await Promise.allSettled(chains.values())
      await Promise.all(started.map((start) => start.status === 'fulfilled' && start.value.stop()))
    },
  }
}

async function startScratch(chainId: string, blockEveryMs: number, onEnd: () => void): Promise<Chain> {
  const anvil = await startAnvil(chainId)
  void anvil.ended.then(onEnd)
  const ask = createAsk(anvil.url)
  const blocks = createBlocks(ask, blockEveryMs, () => undefined)
  const stop = async () => {
    blocks.stop()
    await anvil.stop()
  }
  try {
    await ask('anvil_setLoggingEnabled', [false])
    await installMulticall(ask)
    // `finalized` is two blocks behind `latest`.
    await ask('anvil_mine', ['0x2'])
  } catch (error) {
    await stop()
    throw error
  }
  return { ask, touch: blocks.touch, stop, isWritten: false, usedAtMs: Date.now() }
}

async function answer(chain: Chain, { method, params }: RpcRequest): Promise<unknown> {
  chain.usedAtMs = Date.now()
  if (isRefused(method)) throw new RpcError(METHOD_NOT_FOUND, `${method} is not possible here`)
  if (isRead(method)) return chain.ask(method, params)
  chain.isWritten = true
  const result = method === ETHER ? await addEther(chain.ask, params) : await chain.ask(method, params)
  chain.touch()
  return result
}
