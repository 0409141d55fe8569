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
  const state = known()
  if (state.installed) return state.installed
  const nowMs = Date.now()
  if (nowMs >= state.lookAtMs) {
    state.lookAtMs = nowMs + LOOK_EVERY_MS
    look(state, sandboxFile(config().dataDir))
  }
  return state.read
}

export function installSandbox(state: Sandbox | undefined): void {
  Object.assign(known(), { installed: state, lookAtMs: 0 })
}

const known = (): Known => perProcess('sandbox', () => ({ writtenAtMs: 0, lookAtMs: 0 }))

function look(known: Known, file: string): void {
  try {
    const { mtimeMs } = statSync(file)
    if (mtimeMs === known.writtenAtMs) return
    known.read = Sandbox.parse(JSON.parse(readFileSync(file, 'utf8')))
    known.writtenAtMs = mtimeMs
  } catch {
    // Not there, or not the sandbox's: it writes the file in one step.
    known.read = undefined
    known.writtenAtMs = 0
  }
}
