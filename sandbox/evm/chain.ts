import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { writePrivately } from '../atomic-write'
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, type RpcRequest } from '../json-rpc'
import { startAnvil } from './anvil'
import { type Ask, createAsk, isRead, isRefused } from './anvil.ts'
import { createBlocks } from './blocks.ts'
import { addEther, ensureEther, fundAddress, installContracts, isInstalled, openFaucet } from './contracts'

const FILE = 'evm.state'
const DELAY_MS = 5

const FUND = 'sandbox_fund'
const ETHER = 'sandbox_ether'

/** The real chain's id, so that signatures cover the same domain. */
const CHAIN_ID = '8453'

export type EvmChain = {
  answer: (request: RpcRequest) => unknown
  fund: (address: Hex, usdcUnits: bigint) => Promise<void>
  ask: Ask
  pauseBlocks: () => void
  resumeBlocks: () => void
  ended: Promise<string>
  stop: () => Promise<void>
}

export async function startEvm(options: { folder?: string; payer: Hex; blockEveryMs: number }): Promise<EvmChain> {
  const anvil = await startAnvil(CHAIN_ID)
  const ask = createAsk(anvil.url)
  const store = options.folder === undefined ? undefined : createStore(ask, options.folder)
  // An empty block that is lost is missed by nobody.
  const blocks = createBlocks(ask, options.blockEveryMs, () => void store?.save().catch(() => undefined))
  /** Resolves when the change would survive the death of every process. */
  const changed = async () => {
    blocks.touch()
    await store?.save()
  }
  try {
    await ask('anvil_setLoggingEnabled', [false])
    // What was loaded has no states of past blocks, and `finalized` is one: two empty blocks bring them.
    if (await store?.load()) await ask('anvil_mine', ['0x2'])
    if (!(await isInstalled(ask))) await installContracts(ask)
    await openFaucet(ask)
    await ensureEther(ask, options.payer)
    await store?.save()
  } catch (error) {
    await anvil.stop()
    throw error
  }

  // One at a time: two at once would take the same transaction number.
  let funding: Promise<unknown> = Promise.resolve()
  const fund = (address: Hex, usdcUnits: bigint): Promise<void> => {
    const funded = funding.then(() => fundAddress(ask, address, usdcUnits))
    funding = funded.catch(() => undefined)
    return funded.then(changed)
  }
  return {
    async answer({ method, params }) {
      if (isRefused(method)) throw new RpcError(METHOD_NOT_FOUND, `${method} is not possible here`)
      if (method === FUND) return fund(...fundParams(params))
      const result = method === ETHER ? await addEther(ask, params) : await ask(method, params)
      if (!isRead(method)) await changed()
      return result
    },
    fund,
    ask,
    pauseBlocks: blocks.pause,
    resumeBlocks: blocks.resume,
    ended: anvil.ended,
    async stop() {
      blocks.stop()
      await store?.save().catch(() => undefined)
      await anvil.stop()
    },
  }
}

function fundParams([address, units]: unknown[]): [Hex, bigint] {
  if (typeof address === 'string' && /^0x[0-9a-fA-F]{40}$/.test(address) && /^\d{1,18}$/.test(String(units))) {
    return [address as Hex, BigInt(String(units))]
  }
  throw new RpcError(INVALID_PARAMS, 'Invalid params: an address, and base units of USDC as text')
}

/**
 * Saves the state after every change in one atomic step. The node itself saves only on an orderly exit or periodically,
 * over the old file.
 */
function createStore(ask: Ask, folder: string) {
  const file = path.join(folder, FILE)
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  const write = async () => {
    writePrivately(file, Buffer.from((await ask<string>('anvil_dumpState')).slice(2), 'hex'))
  }
  const writeAfter = async (before: Promise<void>) => {
    await before.catch(() => undefined)
    await sleep(DELAY_MS)
    next = undefined
    await write()
  }

  return {
    async load(): Promise<boolean> {
      let state: Buffer
      try {
        state = readFileSync(file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
      await ask('anvil_loadState', [`0x${state.toString('hex')}`])
      return true
    },
    save(): Promise<void> {
      if (next) return next
      next = writeAfter(last)
      last = next
      return next
    },
  }
}
