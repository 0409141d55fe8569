import { Client } from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

const server = await realDatabase()
const [database, other] = (await Promise.all([server.open(2), server.open(2)])) as [Database, Database]
const ledgers: Ledger[] = []
afterAll(() => Promise.all(ledgers.map((ledger) => ledger.abandon())))

function startLedger(own: Database): Ledger {
  const ledger = createLedger(own)
  ledgers.push(ledger)
  return ledger
}

const asking = (accountId: string, amount: bigint, keyId?: string) => ({
  accountId,
  keyId,
  requestId: uuid(),
  amount: nano(amount),
})

async function expectSound(): Promise<void> {
  await Promise.all(ledgers.map((ledger) => ledger.settled()))
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
}

test.each([
  ['asks the other for what it does not use', true],
  ['gets it too when no notification arrives', false],
])('a process that needs the last cents of an account %s', async (_, hasNotifications) => {
  const silent = { listen: () => async () => {} }
  const [one, two] = [database, other].map((own) => startLedger(hasNotifications ? own : { ...own, ...silent })) as [
    Ledger,
    Ledger,
  ]
  const account = await makeAccount(database, { USD: 100n })
  const used = await one.hold(asking(account, 30n))
  await one.release(await one.hold(asking(account, 60n)))
  // 30 are in use and 60 are leased by the first, so the second finds 10.
  const held = await two.hold(asking(account, 70n))
  await expect(two.hold(asking(account, 1n))).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  await two.capture(held, chargeOfNano(70n))
  await one.capture(used, chargeOfNano(30n))
  await expectSound()
  expect((await one.balancesOf(account)).USD).toBe(0n)
})

test('a limit of a key is exact over two processes, and no part of it is lost to the other', async () => {
  const [one, two] = [startLedger(database), startLedger(other)]
  const account = await makeAccount(database, { USD: 10_000n })
  const keyId = await makeKey(database, account, { usd: 100n })
  await one.release(await one.hold(asking(account, 90n, keyId)))
  await two.capture(await two.hold(asking(account, 60n, keyId)), chargeOfNano(60n))
  await one.capture(await one.hold(asking(account, 40n, keyId)), chargeOfNano(40n))
  for (const ledger of [one, two]) {
    await expect(ledger.hold(asking(account, 1n, keyId))).rejects.toMatchObject({
      code: 'API_KEY_USD_SPEND_LIMIT_EXCEEDED',
    })
  }
  await expectSound()
})

test('a key that one process revokes is refused by the other', async () => {
  const two = startLedger(other)
  const account = await makeAccount(database, { USD: 1_000n })
  const keyId = await makeKey(database, account)
  await two.release(await two.hold(asking(account, 100n, keyId)))
  await database.query('update api_key set revoked_at = now() where id = $1', [keyId])
  await vi.waitFor(() =>
    expect(two.hold(asking(account, 1n, keyId))).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' }),
  )
})

test('a debit takes what the processes lease and do not use', async () => {
  const [one, two] = [startLedger(database), startLedger(other)]
  const account = await makeAccount(database, { USD: 100n })
  const used = await one.hold(asking(account, 30n))
  await one.release(await one.hold(asking(account, 60n)))
  const taken = await two.debit({
    accountId: account,
    currency: 'USD',
    maxNanoUsd: nano(100n),
    kind: 'reversal',
    idempotencyKey: uuid(),
  })
  expect(taken).toBe(70n)
  await one.capture(used, chargeOfNano(30n))
  await expectSound()
})

test('a recall that PostgreSQL ends, to end a deadlock, is made again', async () => {
  const [one, two] = [startLedger(database), startLedger(other)]
  const account = await makeAccount(database, { USD: 100n })
  const keys = [await makeKey(database, account), await makeKey(database, account)]
  for (const key of keys) await two.release(await two.hold(asking(account, 10n, key)))
  const rival = new Client({ connectionString: server.options().url })
  await rival.connect()
  try {
    const { rows } = await rival.query<{ id: string }>('select id from lease where account_id = $1 order by id', [
      account,
    ])
    expect(rows).toHaveLength(2)
    const lock = (at: number) => rival.query('select from lease where id = $1 for update', [rows[at]?.id])
    await rival.query('begin')
    await lock(1)
    const allowed = one.allow(account, '2030-01-01', nano(5n))
    // The recall has the first lease and waits for the second; whoever has waited for a second looks for a circle.
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await database.query(waiting)).length).toBe(1)
    await lock(0)
    await rival.query('rollback')
    expect(await allowed).toMatchObject({ outcome: 'granted', granted: 5n })
  } finally {
    await rival.end()
  }
  await expectSound()
})
