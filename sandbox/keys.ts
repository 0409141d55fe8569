import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { getAddressDecoder } from '@solana/kit'
import { privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import { writePrivately } from './files'

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

export const evmAddressOf = (key: `0x${string}`): `0x${string}` => privateKeyToAddress(key)

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
