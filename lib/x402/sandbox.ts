import 'server-only'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { config } from '@/lib/core/config'
import { perProcess } from '@/lib/core/per-process'

const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const evmKey = z.string().regex(/^0x[0-9a-f]{64}$/)

/** The local chains as they run now, and the keys of the house on them. Written by the sandbox when it has started. */
export const Sandbox = z.object({
  evmUrl: z.url(),
  solanaUrl: z.url(),
  /** Receivers, made at random for this installation: a signature made here would be valid on the real chain. */
  payTo: z.object({ evm: evmAddress, solana: z.string() }),
  /** Pays the fees of both chains. `solana` is a 64-byte secret key in base64. */
  facilitator: z.object({ evm: evmKey, solana: z.string() }),
  staking: z.object({ token: evmAddress, contract: evmAddress }),
})
export type Sandbox = z.infer<typeof Sandbox>

/** Where the sandbox says what it is; readable by its owner only. */
export const sandboxFile = (dataDir: string): string => path.join(dataDir, 'sandbox', 'sandbox.json')

/**
 * The sandbox of this installation; nothing when payments are real, or when the local chains could not be started.
 */
export function sandbox(): Sandbox | undefined {
  if (!config().isSandbox) return undefined
  return perProcess('sandbox', () => readSandbox(config().dataDir))
}

function readSandbox(dataDir: string): Sandbox | undefined {
  try {
    return Sandbox.parse(JSON.parse(readFileSync(sandboxFile(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}
