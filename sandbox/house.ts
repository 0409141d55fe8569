import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { getAddressDecoder } from '@solana/kit'
import { privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import { writePrivately } from './files'

const evmKey = z.templateLiteral(['0x', z.hex().length(64)])
/** 64 bytes in base64: the private key, then the public one. */
const solanaKey = z.base64().length(88)

/** The keys of one installation, by what they are for. All random: what is signed here would be valid on the real chains. */
const House = z.object({
  facilitator: z.object({ evm: evmKey, solana: solanaKey }),
  receiver: z.object({ evm: evmKey, solana: solanaKey }),
})
export type House = z.infer<typeof House>

const FILE = 'house.json'

/** The house of a folder; made on its first use. */
export function openHouse(folder: string): House {
  const file = path.join(folder, FILE)
  const kept = readKept(file)
  if (kept) return kept
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const house: House = {
    facilitator: { evm: newEvmKey(), solana: newSolanaKey() },
    receiver: { evm: newEvmKey(), solana: newSolanaKey() },
  }
  writePrivately(file, JSON.stringify(house, null, 2))
  return house
}

export const evmAddressOf = (key: `0x${string}`): `0x${string}` => privateKeyToAddress(key)

export const solanaAddressOf = (key: string) => getAddressDecoder().decode(Buffer.from(key, 'base64').subarray(32))

/** @throws Error when the file is there and is no house: its money would be lost by making another. */
function readKept(file: string): House | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return House.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${file} is damaged. Remove its folder to begin with new local chains.`, { cause })
  }
}

const newEvmKey = (): `0x${string}` => `0x${randomBytes(32).toString('hex')}`

function newSolanaKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(d ?? '', 'base64url'), Buffer.from(x ?? '', 'base64url')]).toString('base64')
}
