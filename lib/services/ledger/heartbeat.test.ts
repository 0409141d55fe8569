import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { testDatabase } from '@/lib/db/testing'
import { createHeartbeat } from '@/lib/services/ledger/heartbeat'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'

const real = await testDatabase()
let statements = 0
const database: Database = {
  ...real,
  query: (text, parameters) => {
    statements++
    return real.query(text, parameters)
  },
}

beforeEach(() => {
  statements = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => void vi.useRealTimers())

async function openHold(): Promise<string> {
  const ledger = createLedger(real)
  const hold = await ledger.hold({
    accountId: await makeAccount(real, { USD: 100n }),
    requestId: uuid(),
    amount: nano(50n),
  })
  ledger.abandon()
  return hold.id
}

const checkpointOf = async (id: string) =>
  (await real.query<{ amount: string }>('select checkpoint::text as amount from hold where id = $1', [id]))[0]?.amount

test('many checkpoints of many holds are one statement a second, with the latest of each', async () => {
  const ids = [await openHold(), await openHold()]
  const heartbeat = createHeartbeat(database)
  for (const id of ids) heartbeat.track(id)
  for (let amount = 1n; amount <= 9n; amount++) for (const id of ids) heartbeat.mark(id, chargeOfNano(amount))
  vi.advanceTimersByTime(500)
  await heartbeat.beat()
  expect(statements).toBe(0)
  vi.advanceTimersByTime(500)
  await heartbeat.beat()
  expect(statements).toBe(1)
  expect(await Promise.all(ids.map(checkpointOf))).toEqual(['9', '9'])
  heartbeat.stop()
})

test('work without checkpoints is kept alive, and forgotten when its hold has ended', async () => {
  const id = await openHold()
  const heartbeat = createHeartbeat(database)
  heartbeat.track(id)
  await real.query(`update hold set expires_at = now() where id = $1`, [id])
  vi.advanceTimersByTime(20_000)
  await heartbeat.beat()
  expect(await real.query('select 1 from hold where id = $1 and expires_at > now()', [id])).toHaveLength(1)
  await real.query(`update hold set state = 'released', ended_at = now() where id = $1`, [id])
  const before = statements
  for (const _ of [1, 2, 3]) {
    vi.advanceTimersByTime(20_000)
    await heartbeat.beat()
  }
  expect(statements - before).toBe(1)
})

test('a checkpoint that cannot be written stays due', async () => {
  const id = await openHold()
  let isAway = true
  const heartbeat = createHeartbeat({
    ...real,
    query: (text, parameters) =>
      isAway ? Promise.reject(new DatabaseUnavailable('away')) : real.query(text, parameters),
  })
  heartbeat.track(id)
  heartbeat.mark(id, chargeOfNano(7n))
  await heartbeat.beat(true)
  expect(await checkpointOf(id)).toBe('0')
  isAway = false
  await heartbeat.beat(true)
  expect(await checkpointOf(id)).toBe('7')
  heartbeat.stop()
})
