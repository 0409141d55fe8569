import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { getAddressDecoder } from '@solana/kit'
import { privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import type { Sandbox } from '@/lib/services/chains/sandbox'
import { writePrivately } from './atomic-write'
import { type EvmChain, startEvm } from './evm/chain'
import { ADDRESSES } from './evm/contracts'
import { createScratchChains } from './evm/scratch'
import { type AnswerAt, type RpcServer, serveRpc } from './http'
import { type SolanaChain, startSolana } from './solana/chain.ts'

type ChainsOptions = {
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

const evmKey = z.templateLiteral(['0x', z.hex().length(64)])
const solanaKey = z.base64().length(88)

/** The keys of one installation. All random: what is signed here would be valid on the real chains. */
const Keys = z.object({
  facilitator: z.object({ evm: evmKey, solana: solanaKey }),
  receiver: z.object({ evm: evmKey, solana: solanaKey }),
})
export type Keys = z.infer<typeof Keys>

const FILE = 'house.json'

export function openKeys(folder: string): Keys {
  const file = path.join(folder, FILE)
  const kept = readKept(file)
  if (kept) return kept
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keys: Keys = {
    facilitator: { evm: newEvmKey(), solana: newSolanaKey() },
    receiver: { evm: newEvmKey(), solana: newSolanaKey() },
  }
  writePrivately(file, JSON.stringify(keys, null, 2))
  return keys
}

const evmAddressOf = (key: `0x${string}`): `0x${string}` => privateKeyToAddress(key)

export const solanaAddressOf = (key: string) => getAddressDecoder().decode(Buffer.from(key, 'base64').subarray(32))

/** @throws Error when the file exists and is invalid: new keys would lose its money. */
function readKept(file: string): Keys | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return Keys.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${file} is damaged. Remove its folder to begin with new local chains.`, { cause })
  }
}

const newEvmKey = (): `0x${string}` => `0x${randomBytes(32).toString('hex')}`

function newSolanaKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(d ?? '', 'base64url'), Buffer.from(x ?? '', 'base64url')]).toString('base64')
}
