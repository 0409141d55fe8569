import 'server-only'
import type { Database } from '@/lib/db/database'
import { databaseState } from '@/lib/db/driver-fault'

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
/** Large and incompressible: on a full disk a small row still fits into a page that its table has already. */
const WRITE = `insert into installation (key, value)
  select $1, string_agg(md5(random()::text), '') from generate_series(1, 2048)
  on conflict (key) do update set value = excluded.value`
