import { createHash } from 'node:crypto'
import { type Blockhash, getBase58Decoder } from '@solana/kit'

const SLOT_MS = 400
const BLOCKHASH_SLOTS = 150

export type Genesis = { seed: string; startedAtMs: number }

/**
 * Slots of a chain without blocks: they pass with time, and each has a derived blockhash. Nothing ticks, and hashes
 * from before a restart stay known.
 */
export function createClock(genesis: Genesis, now: () => number = Date.now) {
  const recent = new Map<string, number>()
  let computed = -1

  const slot = () => Math.max(computed, 1 + Math.floor((now() - genesis.startedAtMs) / SLOT_MS))
  const blockhashOf = (at: number) =>
    getBase58Decoder().decode(createHash('sha256').update(`${genesis.seed} ${at}`).digest()) as Blockhash

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
    slot: advance,
    latest: () => {
      const at = advance()
      return { blockhash: blockhashOf(at), lastValidBlockHeight: at + BLOCKHASH_SLOTS }
    },
    skip: (slots: number) => {
      genesis.startedAtMs -= slots * SLOT_MS
    },
    isRecent: (blockhash: string) => {
      advance()
      return recent.has(blockhash)
    },
  }
}
