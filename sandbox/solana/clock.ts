import { createHash } from 'node:crypto'
import { type Blockhash, getBase58Decoder } from '@solana/kit'

/** As on the real chain. */
const SLOT_MS = 400
/** A blockhash is good for this many slots: a minute. */
const BLOCKHASH_SLOTS = 150

/** From which all slots and blockhashes of one chain follow. */
export type Genesis = { seed: string; startedAtMs: number }

/**
 * The slots of a chain that has no blocks: they pass with time, and each has a blockhash that follows from it. Nothing
 * ticks, and what was issued before a restart is known after it.
 */
export function createClock(genesis: Genesis, now: () => number = Date.now) {
  const recent = new Map<string, number>()
  let computed = -1

  const slot = () => Math.max(computed, 1 + Math.floor((now() - genesis.startedAtMs) / SLOT_MS))
  const blockhashOf = (at: number) =>
    getBase58Decoder().decode(createHash('sha256').update(`${genesis.seed} ${at}`).digest()) as Blockhash

  /** Makes the hashes since it was last asked, and forgets those that are over. */
  const advance = (): number => {
    const latest = slot()
    for (let at = Math.max(computed + 1, latest - BLOCKHASH_SLOTS); at <= latest; at++) recent.set(blockhashOf(at), at)
    for (const [hash, at] of recent) {
      if (at >= latest - BLOCKHASH_SLOTS) break
      recent.delete(hash)
    }
    computed = latest
    return latest
  }

  return {
    /** Also the block height: every slot has its block. */
    slot: advance,
    latest: () => {
      const at = advance()
      return { blockhash: blockhashOf(at), lastValidBlockHeight: at + BLOCKHASH_SLOTS }
    },
    /** Lets time pass that did not. */
    skip: (slots: number) => {
      genesis.startedAtMs -= slots * SLOT_MS
    },
    isRecent: (blockhash: string) => {
      advance()
      return recent.has(blockhash)
    },
  }
}
