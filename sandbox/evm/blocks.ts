import type { Hex } from 'viem'
import type { Ask } from './anvil.ts'

const BLOCKS_TO_FINAL = 2

/**
 * Lets transactions become `safe` and then `finalized`: after a block with transactions two empty ones follow,
 * `everyMs` apart. Then the chain rests, so that it does not grow while unused.
 */
export function createBlocks(ask: Ask, everyMs: number, onMined: () => void) {
  let timer: NodeJS.Timeout | undefined
  let isPaused = false

  const step = async () => {
    timer = undefined
    if (isPaused || (await isAtRest(ask))) return
    await ask('anvil_mine', ['0x1'])
    onMined()
    begin()
  }
  const begin = () => {
    // A node that went away is its owner's to notice.
    timer ??= setTimeout(() => void step().catch(() => undefined), everyMs)
  }

  return {
    touch: begin,
    pause(): void {
      isPaused = true
    },
    resume(): void {
      isPaused = false
      begin()
    },
    stop(): void {
      isPaused = true
      clearTimeout(timer)
    },
  }
}

async function isAtRest(ask: Ask): Promise<boolean> {
  const latest = Number(await ask<Hex>('eth_blockNumber'))
  for (let number = latest; number > Math.max(0, latest - BLOCKS_TO_FINAL); number--) {
    const count = await ask<Hex>('eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`])
    if (Number(count) > 0) return false
  }
  return true
}
