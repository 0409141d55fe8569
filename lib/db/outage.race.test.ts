import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { openDatabase } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { DatabaseUnavailable, isOutage } from '@/lib/db/outage'
import { freezePostgres, openProxy } from '@/lib/db/testing-network'
import { metrics } from '@/lib/kernel/metrics'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import { sweep } from '@/lib/services/ledger/sweep'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'
import { startPostgres } from '@/scripts/postgres'

/** Of a statement. Short beside what the tests may take, long for a database that is well. */
const WAIT_MS = 3_000
const RECOVERY_MS = 60_000
const CREDIT = 1_000_000n

// A server of its own: it is frozen, and made read-only, under everybody who uses it.
const postgres = await startPostgres()
afterAll(() => postgres.stop())
const direct = await open(postgres.url)

async function open(url: string, poolSize?: number): Promise<Database> {
  const database = await openDatabase({ root: process.cwd(), url, poolSize, waitMs: WAIT_MS })
  afterAll(() => database.close())
  return database
}

/** A pool behind a proxy that misbehaves on request, its ledger, and an account with credit. */
async function behindProxy(poolSize?: number) {
  const proxy = await openProxy(postgres.url)
  afterAll(() => proxy.close())
  const database = await open(proxy.url, poolSize)
  const ledger = createLedger(database)
  afterAll(ledger.abandon)
  return { proxy, database, ledger, accountId: await makeAccount(direct, { USD: CREDIT }) }
}

const asking = (accountId: string, amount = 100n) => ({ accountId, requestId: uuid(), amount: nano(amount) })

/** Fills the pool with connections that are open and idle. */
const warm = (database: Database, connections: number) =>
  Promise.all(Array.from({ length: connections }, () => database.query('select pg_sleep(0.2)')))

const untilReady = ({ check }: Database): Promise<void> => vi.waitFor(check, RECOVERY_MS)

/** No money was lost or made: all that is open is given back, and the account has what it had, less what was charged. */
async function expectExact(own: Ledger, accountId: string, charged: bigint): Promise<void> {
  await vi.waitFor(own.settled, RECOVERY_MS)
  await direct.query(`update ledger_process set seen_at = now() - interval '1 minute'`)
  const ledger = createLedger(direct)
  await sweep(direct)
  expect((await ledger.balancesOf(accountId)).USD).toBe(CREDIT - charged)
  const findings = await checkLedger(direct, { depth: 'full' })
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([])
}

test('connections that were swallowed are given up together, and the next statement finds a new one', async () => {
  const { proxy, database, ledger, accountId } = await behindProxy()
  const held = await ledger.hold(asking(accountId))
  await warm(database, 5)
  proxy.swallow()
  const failure = await ledger.hold(asking(accountId)).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 })
  // Four more were idle. Had they not been closed with the first, each of these would hang in its turn.
  await ledger.hold(asking(accountId))
  await warm(database, 5)
  expect(await ledger.capture(held, chargeOfNano(70n))).toMatchObject({ charged: 70n })
  expect(await metrics().registry.metrics()).toContain('service_database_failures_total{code="NO_ANSWER"}')
  await expectExact(ledger, accountId, 70n)
})

test('closed connections leave the pool at once, and those that are opened meanwhile are kept', async () => {
  const { proxy, database } = await behindProxy()
  await warm(database, 5)
  proxy.swallow()
  const first = database.query('select 1').catch((error: unknown) => error)
  await sleep(WAIT_MS / 2)
  const second = database.query('select 1').catch((error: unknown) => error)
  expect(await first).toBeInstanceOf(DatabaseUnavailable)
  await warm(database, 5)
  const thaw = await freezePostgres(postgres.url)
  const opened = warm(database, 7)
  try {
    expect(await second).toBeInstanceOf(DatabaseUnavailable)
  } finally {
    thaw()
  }
  await opened
})

test('a charge whose connection was swallowed is answered, and written by the next attempt, once', async () => {
  const { proxy, ledger, accountId } = await behindProxy(1)
  const held = await ledger.hold(asking(accountId))
  proxy.swallow()
  expect(await ledger.capture(held, chargeOfNano(60n))).toMatchObject({ charged: 60n })
  await expectExact(ledger, accountId, 60n)
})

test('a transaction whose connection was swallowed gives its place in the pool back', async () => {
  const { proxy, database } = await behindProxy(1)
  const transact = () => database.drizzle.transaction((transaction) => transaction.execute(sql`select 1`))
  await transact()
  for (let round = 0; round < 2; round++) {
    proxy.swallow()
    const failure = await transact().catch((error: unknown) => error)
    expect(isOutage(failure)).toBe(true)
    await transact()
  }
})

test('while the database is frozen every statement ends, and what was frozen with it is charged once', async () => {
  const { database, ledger, accountId } = await behindProxy(4)
  const held = await ledger.hold(asking(accountId))
  await warm(database, 4)
  const thaw = await freezePostgres(postgres.url)
  try {
    // More than is leased: the database is asked.
    const waiting = [ledger.hold(asking(accountId)), ledger.hold(asking(accountId)), ledger.balancesOf(accountId)]
    // Its statement waits in the server's memory, and is carried out when the server goes on; and it is sent again.
    const charging = ledger.capture(held, chargeOfNano(80n))
    for (const outcome of await Promise.allSettled(waiting)) expect(outcome.status).toBe('rejected')
    expect(await charging).toMatchObject({ charged: 80n })
    await expect(database.check()).rejects.toThrow()
    await vi.waitFor(() => expect(database.oldestMs()).toBe(0), RECOVERY_MS)
  } finally {
    thaw()
  }
  await untilReady(database)
  expect(await ledger.capture(held, chargeOfNano(80n))).toMatchObject({ charged: 80n })
  await expectExact(ledger, accountId, 80n)
})

test('the age of a statement under way is known, and one that the server should have ended is not ready', async () => {
  const { proxy, database } = await behindProxy()
  proxy.swallow()
  const asked = database.query('select 1').catch((error: unknown) => error)
  while (database.oldestMs() <= WAIT_MS) await sleep(50)
  await expect(database.check()).rejects.toThrow('a statement has waited')
  expect(await asked).toBeInstanceOf(DatabaseUnavailable)
  await untilReady(database)
})

test('a refused and a reset connection say so at once, and the database is back when it is', async () => {
  const { proxy, database, ledger, accountId } = await behindProxy()
  const running = database.query('select pg_sleep(60)').catch((error: unknown) => error)
  await warm(database, 1)
  await proxy.refuse()
  expect(await running).toBeInstanceOf(DatabaseUnavailable)
  expect(await database.query('select 1').catch((error: unknown) => error)).toMatchObject({ code: 'ECONNREFUSED' })
  await expect(ledger.hold(asking(accountId))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await expect(database.check()).rejects.toThrow('ECONNREFUSED')
  await proxy.restore()
  await ledger.hold(asking(accountId))
  await expectExact(ledger, accountId, 0n)
})

test('a read-only database is not ready, and writing to it is an outage', async () => {
  const { proxy, database, ledger, accountId } = await behindProxy(1)
  const reconnect = () => proxy.refuse().then(proxy.restore)
  await direct.query('alter role current_user set default_transaction_read_only = on')
  try {
    await reconnect()
    await vi.waitFor(() => expect(database.check()).rejects.toThrow('read-only'), RECOVERY_MS)
    expect(await database.query('delete from share').catch((error: unknown) => error)).toMatchObject({ code: '25006' })
    await expect(ledger.hold(asking(accountId))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(open(postgres.url)).rejects.toThrow(
      /PostgreSQL at 127.0.0.1:\d+ cannot be brought up to date: .*read-only/,
    )
  } finally {
    await direct.query('alter role current_user set default_transaction_read_only = off')
  }
  await reconnect()
  // Once a write has failed only a write says that they work again.
  await untilReady(database)
  await ledger.hold(asking(accountId))
})

test.each([
  ['too many connections', '53300'],
  ['a password that was changed', '28P01'],
  ['a database that is gone', '3D000'],
  ['a server that shuts down', '57P01'],
])('%s is an outage, also inside what drizzle wraps around it', (_, code) => {
  const cause = Object.assign(new Error('from the server'), { severity: 'FATAL', code })
  expect(isOutage(new Error('Failed query', { cause: new DatabaseUnavailable(cause) }))).toBe(true)
  expect(isOutage(new Error('Failed query', { cause }))).toBe(true)
  expect(isOutage(new Error('no database'))).toBe(false)
})
