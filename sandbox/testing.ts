import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { address } from '@solana/kit'
import type { Hex } from 'viem'
import { afterAll } from 'vitest'
import { installSandbox, type Sandbox } from '@/lib/services/chains/sandbox'
import { type Chains, startChains } from '@/sandbox/chains'

export type TestChains = {
  /** Nodes, receivers and keys of the house, as `sandbox()` of lib/services/chains/sandbox.ts gives them in this process. */
  sandbox: Sandbox
  /** Test USDC in base units (`5_000_000n` is 5 USD), and ether for fees and 25 tokens to stake. */
  fundEvm: (address: string, usdcUnits: bigint) => Promise<void>
  /** Test USDC in base units, and SOL for fees. The address gets its token account; with `0n` nothing but that and SOL. */
  fundSolana: (address: string, usdcUnits: bigint) => Promise<void>
  /** Any JSON-RPC method of anvil, past the bounds of the node that `sandbox.evmUrl` is: `anvil_setCode`, `evm_increaseTime`… */
  evm: <T = unknown>(method: string, params?: unknown[]) => Promise<T>
  /** No block is made but by transactions, so nothing becomes `safe` or `finalized`, until `resumeBlocks`. */
  pauseBlocks: () => void
  resumeBlocks: () => void
  /** Lets Solana's slots pass at once: 151 make every blockhash expire that was issued before. */
  skipSlots: (count: number) => void
  /** Ends the chains early, as if the nodes had died: their ports then refuse connections. */
  stop: () => Promise<void>
}

/** Fast, so that tests need not wait long for `finalized`. */
const BLOCK_EVERY_MS = 60

/**
 * Both local chains on free ports, in a temporary folder and in this process, until the test file (or the `describe` it
 * is called in) ends. Call it at the top: `const chains = await testChains()`. The configuration of tests is that of the
 * sandbox unless `withEnvironment` says otherwise, so `sandbox()`, `rails()` and `nodesOf()` find them.
 *
 * EVM: chain id 8453, USDC and Multicall3 at their real addresses, staking at `sandbox.staking`; a transaction is mined at
 * once and `finalized` about 0.2 s later. Solana: USDC's mint at its real address; everything is final at once.
 * The receivers' Solana token account exists, and the facilitator has gas on both chains.
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
