import 'server-only'
import type { Database } from '@/lib/db/database'
import { persist } from '@/lib/db/retry'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

/** By the database's clock. A node's answer takes 30 seconds at most, so only the claim of a dead process ends this way. */
const LEASE_SECONDS = 60
const KEEP_SECONDS = 86_400
/** What one account may have kept at a time. */
export const MAX_KEYS = 5_000
export const MAX_BYTES = 268_435_456
const SWEEP_BATCH = 500
const MAX_SWEEP_BATCHES = 400

/** Which row, and under which claim. */
export type Claimed = { accountId: string; key: string; claim: string }

export type ClaimRow =
  | { outcome: 'claimed' | 'running' | 'reused' }
  | { outcome: 'full'; seconds: number | null }
  | {
      outcome: 'kept'
      request_id: string
      status: number
      body: Uint8Array
      is_packed: boolean
      credits: number
      cost: string
    }

export type KeptRow = {
  requestId: string
  status: number
  body: Uint8Array
  isPacked: boolean
  credits: number
  cost: bigint
}

/** Claims a key, or says why not. One statement. */
export async function claimRow(
  { query }: Database,
  { accountId, key, claim, fingerprint, requestId }: Claimed & { fingerprint: Uint8Array; requestId: string },
): Promise<ClaimRow> {
  const values = [accountId, key, fingerprint, requestId, claim, LEASE_SECONDS, KEEP_SECONDS, MAX_KEYS, MAX_BYTES]
  const [row] = await query<ClaimRow>('select * from claim_rpc_reply($1, $2, $3, $4, $5, $6, $7, $8, $9)', values)
  if (row === undefined) throw new Error('the database gave no answer for this claim')
  return row
}

/** Keeps the reply of a claim; false when another has taken it over. One statement, and again where it cannot be run yet. */
export function keepRow(database: Database, { accountId, key, claim }: Claimed, kept: KeptRow): Promise<boolean> {
  const { requestId, status, body, isPacked, credits, cost } = kept
  const values = [accountId, key, claim, requestId, status, body, isPacked, credits, cost.toString()]
  return end(database, 'select keep_rpc_reply($1, $2, $3, $4, $5, $6, $7, $8, $9) as is_done', values)
}

/** Frees the key of a claim that has no reply to keep; false when it was not the claim's any more. */
export function dropRow(database: Database, { accountId, key, claim }: Claimed): Promise<boolean> {
  return end(database, 'select drop_rpc_reply($1, $2, $3) as is_done', [accountId, key, claim])
}

/** Removes replies whose day is over; answers how many. */
export async function sweepRows({ query }: Database): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_SWEEP_BATCHES; batch++) {
    const [row] = await query<{ swept: number }>('select sweep_rpc_replies($1) as swept', [SWEEP_BATCH])
    const swept = row?.swept ?? 0
    total += swept
    if (swept < SWEEP_BATCH) break
  }
  return total
}

/** A claim whose end cannot be written is ended by its lease. */
async function end({ query }: Database, text: string, values: unknown[]): Promise<boolean> {
  const [row] = await persist(() => query<{ is_done: boolean }>(text, values))
  return row?.is_done === true
}

const SWEEP_EVERY_MS = 600_000
/** A reply lives a day: for this long after the last claim there may be something to sweep. */
const IDLE_AFTER_MS = 90_000_000

type Sweeper = { timer?: NodeJS.Timeout; usedAtMs: number }

/** Sees to it that replies go when their day is over: every ten minutes for as long as this process may have some. */
export function sweepNowAndThen(database: () => Promise<Database>): void {
  const sweeper = state()
  sweeper.usedAtMs = Date.now()
  sweeper.timer ??= later(sweeper, database)
}

function later(sweeper: Sweeper, database: () => Promise<Database>): NodeJS.Timeout {
  return setTimeout(() => void sweep(sweeper, database), SWEEP_EVERY_MS).unref()
}

async function sweep(sweeper: Sweeper, database: () => Promise<Database>): Promise<void> {
  try {
    await sweepRows(await database())
  } catch (error) {
    log().warn({ err: error }, 'old idempotency replies were not removed; the next look tries again')
  }
  sweeper.timer = Date.now() - sweeper.usedAtMs < IDLE_AFTER_MS ? later(sweeper, database) : undefined
}

const state = (): Sweeper => perProcess('rpc-reply-sweep', () => ({ usedAtMs: 0 }))
