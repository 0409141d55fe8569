import { Client } from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { installDatabase, openDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { openPooler } from '@/lib/db/testing-network'
import { log } from '@/lib/kernel/log'
import { createLedger } from '@/lib/services/ledger/ledger'
import { sweep } from '@/lib/services/ledger/sweep'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'
import { createShare } from '@/lib/services/shares/shares'

const root = process.cwd()
const server = await realDatabase()
const { url } = server.options()
const pooler = await openPooler(url)
afterAll(() => pooler.close())

/** As it is in postgres.ts: processes of all versions must agree. */
const MIGRATION_LOCK = 7_263_101_447

const changed = (change: Partial<URL>) => Object.assign(new URL(url), change).href

test.each([
  ['database', { pathname: '/nowhere' }, /database "nowhere" does not exist/],
  ['password', { password: 'wr0ng' }, /password authentication failed/],
])('a wrong %s is named at once, without the password', async (_, change, reason) => {
  const failure = openDatabase({ root, url: changed(change), startWaitMs: 600_000 })
  await expect(failure).rejects.toThrow(reason)
  await expect(failure).rejects.toThrow(/^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ refuses the connection/)
  await expect(failure).rejects.not.toThrow('wr0ng')
})

test('who migrates for too long is named to those who wait, and they give up', async () => {
  const stuck = new Client({ connectionString: url })
  await stuck.connect()
  const said = vi.spyOn(log(), 'info')
  try {
    await stuck.query('begin')
    await stuck.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const failure = openDatabase({ ...server.options(), migrationWaitMs: 1_000 })
    await expect(failure).rejects.toThrow(
      /is being migrated by another process.*server process \d+, connected from 127/,
    )
    expect(said.mock.calls).toEqual([[expect.stringContaining('Waiting for another process that migrates')]])
    // The lock ends with its transaction.
    const late = openDatabase(server.options())
    await stuck.query('rollback')
    await (await late).close()
  } finally {
    said.mockRestore()
    await stuck.end()
  }
})

test('behind a pooler that shares connections nothing outlives a transaction', async () => {
  const warned = vi.spyOn(log(), 'warn').mockImplementation(() => {})
  const complained = vi.spyOn(log(), 'error')
  const database = await openDatabase({ ...server.options(4), url: pooler.url })
  expect(warned.mock.calls).toEqual([[expect.stringContaining('set statement_timeout = ')]])
  expect(complained).not.toHaveBeenCalled()
  warned.mockRestore()
  complained.mockRestore()
  installDatabase(database)
  const ledger = createLedger(database)
  try {
    const accountId = await makeAccount(database, { USD: 1_000n })
    const held = await ledger.hold({ accountId, requestId: uuid(), amount: nano(100n) })
    expect(await ledger.extend(held, nano(50n))).toBe(true)
    ledger.checkpoint(held, chargeOfNano(20n))
    await ledger.settled()
    expect(await ledger.capture(held, chargeOfNano(120n))).toMatchObject({ charged: 120n })
    await sweep(database)
    await createShare(accountId, Buffer.alloc(100), '1h')
    await database.check()
  } finally {
    ledger.abandon()
    installDatabase(undefined)
    await database.close()
  }
  expect(pooler.statements.length).toBeGreaterThan(20)
  expect(pooler.sessionState).toEqual([])
})

test('who keeps our settings from the server in silence is warned of too', async () => {
  const warned = vi.spyOn(log(), 'warn').mockImplementation(() => {})
  // As PgBouncer does with what its ignore_startup_parameters names.
  const unbounded = new URL(url)
  unbounded.searchParams.set('statement_timeout', '0')
  const database = await openDatabase({ ...server.options(1), url: unbounded.href })
  expect(warned.mock.calls).toEqual([[expect.stringContaining('set statement_timeout = ')]])
  warned.mockRestore()
  await database.close()
})

test('the pooler of these tests knows what outlives a transaction', async () => {
  const client = new Client({ connectionString: pooler.url })
  await client.connect()
  pooler.sessionState.length = 0
  await client.query(`set lock_timeout = '1s'`)
  await client.query('select pg_advisory_lock(1)')
  await client.query({ name: 'kept', text: 'select 1' })
  await client.query('begin')
  await client.query(`set local lock_timeout = '1s'`)
  await client.query('commit')
  await client.end()
  expect(pooler.sessionState).toEqual([
    `set lock_timeout = '1s'`,
    'select pg_advisory_lock(1)',
    'prepared statement kept',
  ])
})
