import 'server-only'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const evmKey = z.string().regex(/^0x[0-9a-f]{64}$/)

export const Sandbox = z.object({
  evmUrl: z.url(),
  solanaUrl: z.url(),
  /** Made at random for this installation: a signature made here would be valid on the real chain. */
  payTo: z.object({ evm: evmAddress, solana: z.string() }),
  /** Pays the fees of both chains. `solana` is a 64-byte secret key in base64. */
  facilitator: z.object({ evm: evmKey, solana: z.string() }),
  staking: z.object({ token: evmAddress, contract: evmAddress }),
})
export type Sandbox = z.infer<typeof Sandbox>

const LOOK_EVERY_MS = 1_000

type Known = { installed?: Sandbox; read?: Sandbox; writtenAtMs: number; lookAtMs: number }

export const sandboxFile = (dataDir: string): string => path.join(dataDir, 'sandbox', 'sandbox.json')

export function sandbox(): Sandbox | undefined {
  if (!config().isSandbox) return undefined
  const kept = known()
  if (kept.installed) return kept.installed
  const nowMs = Date.now()
  if (nowMs >= kept.lookAtMs) {
    kept.lookAtMs = nowMs + LOOK_EVERY_MS
    look(kept, sandboxFile(config().dataDir))
  }
  return kept.read
}

export function installSandbox(state: Sandbox | undefined): void {
  Object.assign(known(), { installed: state, lookAtMs: 0 })
}

const known = (): Known => perProcess('sandbox', () => ({ writtenAtMs: 0, lookAtMs: 0 }))

function look(kept: Known, file: string): void {
  try {
    const { mtimeMs } = statSync(file)
    if (mtimeMs === kept.writtenAtMs) return
    kept.read = Sandbox.parse(JSON.parse(readFileSync(file, 'utf8')))
    kept.writtenAtMs = mtimeMs
  } catch {
    // Not there, or not the sandbox's: it writes the file in one step.
    kept.read = undefined
    kept.writtenAtMs = 0
  }
}
