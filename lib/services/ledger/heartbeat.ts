import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import type { Charge } from '@/lib/services/ledger/hold'
import { type Mark, markHolds, sweepHolds, toUsage } from '@/lib/services/ledger/statements'

/** A crash may leave two seconds of tokens uncharged: this, half of it again until the next beat, and the write. */
const CHECKPOINT_INTERVAL_MS = 1_000
const REFRESH_INTERVAL_MS = 20_000
/** A hold that is open for longer was forgotten by its owner: it is left to the sweeper. */
const MAX_AGE_MS = 6 * 3_600_000
const MAX_BATCH = 256

type Tracked = { since: number; writtenAt: number; charge?: Charge; isLeaving: boolean }

type Heartbeat = {
  track: (id: string) => void
  mark: (id: string, charge: Charge) => void
  forget: (id: string) => void
  leave: (id: string, charge: Charge) => void
  beat: (all?: boolean) => Promise<void>
  stop: () => void
}

/** Keeps this process's open holds alive and their checkpoints fresh, by one statement for all of them. */
export function createHeartbeat(database: Database): Heartbeat {
  const holds = new Map<string, Tracked>()
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> | undefined

  function due(now: number, all: boolean): [string, Tracked][] {
    return [...holds].filter(([id, hold]) => {
      if (now - hold.since > MAX_AGE_MS) holds.delete(id)
      return hold.charge !== undefined
        ? all || now - hold.writtenAt >= CHECKPOINT_INTERVAL_MS
        : now - hold.writtenAt >= REFRESH_INTERVAL_MS
    })
  }

  async function write(all: boolean): Promise<void> {
    const now = performance.now()
    const list = due(now, all)
    for (let start = 0; start < list.length; start += MAX_BATCH)
      await writeBatch(list.slice(start, start + MAX_BATCH), now)
    if (holds.size === 0) stop()
  }

  async function writeBatch(batch: [string, Tracked][], now: number): Promise<void> {
    const charges = batch.map(([, hold]) => hold.charge)
    const open = await markHolds(
      database,
      batch.map(([id], index) => toMark(id, charges[index])),
    )
    for (const [index, [id, hold]] of batch.entries()) {
      hold.writtenAt = now
      if (hold.charge === charges[index]) hold.charge = undefined
      if (hold.isLeaving || !open.has(id)) holds.delete(id)
    }
  }

  async function beat(all = false): Promise<void> {
    await beating
    beating ??= write(all)
      .catch((error: unknown) => log().warn({ error: String(error) }, 'checkpoints could not be saved; retrying later'))
      .finally(() => {
        beating = undefined
      })
    await beating
  }

  function start(): void {
    timer ??= setInterval(() => void (beating ?? beat()), CHECKPOINT_INTERVAL_MS / 2).unref()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  function track(id: string): Tracked {
    const now = performance.now()
    const hold = holds.get(id) ?? { since: now, writtenAt: now, isLeaving: false }
    holds.set(id, hold)
    start()
    return hold
  }

  return {
    track,
    mark(id, charge) {
      const hold = holds.get(id)
      if (hold && !hold.isLeaving) hold.charge = charge
    },
    forget: (id) => void holds.delete(id),
    leave: (id, charge) =>
      void Object.assign(track(id), { charge, isLeaving: true, writtenAt: Number.NEGATIVE_INFINITY }),
    beat,
    stop,
  }
}

function toMark(id: string, charge: Charge | undefined): Mark {
  return charge === undefined ? { id } : { id, amount: charge.amount, usage: toUsage(charge) }
}

const SWEEP_INTERVAL_MS = 10_000
const SWEEP_BATCH = 256
const MAX_SWEEP_BATCHES = 1_000

const holder = globalThis as typeof globalThis & { __serviceSweeper?: NodeJS.Timeout }

/**
 * Ends holds whose process died: charges their last checkpoint, releases the rest.
 *
 * @returns how many.
 */
export async function sweepAbandonedHolds(database: Database): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_SWEEP_BATCHES; batch++) {
    const ended = await sweepHolds(database, SWEEP_BATCH)
    total += ended
    if (ended < SWEEP_BATCH) break
  }
  return total
}

export function startSweeper(): void {
  if (holder.__serviceSweeper) return
  sweepQuietly()
  holder.__serviceSweeper = setInterval(sweepQuietly, SWEEP_INTERVAL_MS).unref()
}

export function stopSweeper(): void {
  clearInterval(holder.__serviceSweeper)
  holder.__serviceSweeper = undefined
}

function sweepQuietly(): void {
  getDb()
    .then(sweepAbandonedHolds)
    .then(
      (ended) => ended > 0 && log().warn({ ended }, 'holds of dead processes were ended'),
      (error: unknown) => log().warn({ error: String(error) }, 'the sweep failed; retrying later'),
    )
}
