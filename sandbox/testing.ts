import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { address } from '@solana/kit'
import type { Hex } from 'viem'
import { afterAll } from 'vitest'
import { installSandbox, type Sandbox } from '@/lib/services/chains/sandbox'
import { type Chains, startChains } from '@/sandbox/chains'

export type TestChains = {
  sandbox: Sandbox
  fundEvm: (address: string, usdcUnits: bigint) => Promise<void>
  fundSolana: (address: string, usdcUnits: bigint) => Promise<void>
  evm: <T = unknown>(method: string, params?: unknown[]) => Promise<T>
  pauseBlocks: () => void
  resumeBlocks: () => void
  /** 151 slots expire every blockhash issued before. */
  skipSlots: (count: number) => void
  stop: () => Promise<void>
}

const BLOCK_EVERY_MS = 60

/**
 * Starts both local chains on free ports in a temporary folder, until the test file (or the `describe`) ends. Call it
 * at the top: `const chains = await testChains()`. The configuration of tests is that of the sandbox unless
 * `withEnvironment` says otherwise.
 */
export async function testChains(options: { blockEveryMs?: number } = {}): Promise<TestChains> {
  const folder = mkdtempSync(path.join(tmpdir(), 'chains-'))
  const chains: Chains = await startChains({
    folder,
    keeps: false,
    ports: { evm: [0], solana: [0] },
    blockEveryMs: options.blockEveryMs ?? BLOCK_EVERY_MS,
  })
  installSandbox(chains.sandbox)
  afterAll(async () => {
    installSandbox(undefined)
    await chains.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const { sandbox, evm, solana, stop } = chains
  return {
    sandbox,
    fundEvm: (to, usdcUnits) => evm.fund(to as Hex, usdcUnits),
    fundSolana: (to, usdcUnits) => solana.fund(address(to), usdcUnits),
    evm: evm.ask,
    pauseBlocks: evm.pauseBlocks,
    resumeBlocks: evm.resumeBlocks,
    skipSlots: solana.skipSlots,
    stop,
  }
}
