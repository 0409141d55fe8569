import 'server-only'
import type { Database } from '@/lib/db/database'
import { databaseState } from '@/lib/db/driver-fault'

/**
 * Whether the database serves: it answers, takes writes, and no statement has waited for longer than the server lets one
 * run (`stuckMs`).
 *
 * @throws Error that says why not.
 */
export async function checkDatabase({ query }: Pick<Database, 'query'>, oldestMs: number, stuckMs: number) {
  if (oldestMs > stuckMs) throw new Error(`a statement has waited for ${Math.round(oldestMs)} ms`)
  const [row] = await query<{ mode: string }>(`select current_setting('transaction_read_only') as mode`)
  if (row?.mode !== 'off') throw new Error('the database is read-only')
  // A write each second would be a price without need; once one has failed, only a write can tell that they work again.
  const state = databaseState()
  if (!state.refusesWrites) return
  await query(WRITE, [WRITE_PROBE])
  state.refusesWrites = false
}

const WRITE_PROBE = 'write-probe'
/** Large, and hard to compress: on a full disk a small row still finds a place in what its table has already. */
const WRITE = `insert into installation (key, value)
  select $1, string_agg(md5(random()::text), '') from generate_series(1, 2048)
  on conflict (key) do update set value = excluded.value`
