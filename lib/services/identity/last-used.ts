import 'server-only'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

/** A key's last use is written at most this often. */
const WRITE_EVERY_MS = 60_000
/** Keys that wait to be written; past it the write happens at once. */
const MAX_WAITING = 10_000

type Uses = { waiting: Map<string, number>; timer?: NodeJS.Timeout }

/** Notes that a key was used. Costs a map entry; the rows are written together, once a minute. */
export function noteUse(keyId: string, nowMs = Date.now()): void {
  const uses = state()
  uses.waiting.set(keyId, nowMs)
  if (uses.waiting.size >= MAX_WAITING) void saveLastUsed()
  else if (!uses.timer) uses.timer = setTimeout(saveLastUsed, WRITE_EVERY_MS).unref()
}

/** Writes what was noted. Called by a timer, and by the server before it stops. Never throws: it is only a date. */
export async function saveLastUsed(): Promise<void> {
  const uses = state()
  clearTimeout(uses.timer)
  uses.timer = undefined
  if (uses.waiting.size === 0) return
  const rows = [...uses.waiting].map(([id, atMs]) => ({ id, at: new Date(atMs).toISOString() }))
  uses.waiting.clear()
  try {
    const { query } = await getDb()
    // Keys are locked in the order of their ids, as the ledger does: two batches can then never wait for each other.
    await query(
      `with used as (select * from jsonb_to_recordset($1::jsonb) as u(id uuid, at timestamptz)),
            locked as (select k.id from api_key k where k.id in (select id from used) order by k.id for no key update)
       update api_key k set last_used_at = greatest(k.last_used_at, u.at)
         from used u join locked l on l.id = u.id where k.id = u.id`,
      [JSON.stringify(rows)],
    )
  } catch (error) {
    log().warn({ err: error, keys: rows.length }, 'the last use of some keys was not written')
  }
}

const state = (): Uses => perProcess('last-used', () => ({ waiting: new Map() }))
