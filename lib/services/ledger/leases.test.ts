import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { testDatabase } from '@/lib/db/testing'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import type { HoldRequest } from '@/lib/services/ledger/ledger-types'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

const database = await testDatabase()
const asked: string[] = []
const query: Database['query'] = (text, parameters) => {
  asked.push(text)
  return database.query(text, parameters)
}
const ledgers: Ledger[] = []
afterEach(() => {
  asked.length = 0
})
afterAll(() => Promise.all(ledgers.map((ledger) => ledger.abandon())))

function startLedger(): Ledger {
  const ledger = createLedger({ ...database, query })
  ledgers.push(ledger)
  return ledger
}

const asking = (accountId: string, amount: bigint, more: Partial<HoldRequest> = {}): HoldRequest => ({
  accountId,
  requestId: uuid(),
  amount: nano(amount),
  ...more,
})

const statements = (name: string): number => asked.filter((text) => text.includes(`${name}($1`)).length

async function moneyOf(accountId: string) {
  const [row] = await database.query('select posted::text, held::text from balance where account_id = $1', [accountId])
  return row
}

test('a lone request asks once, is answered without a write, and is written with others', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const held = await ledger.hold(asking(account, 100n))
  const captured = await ledger.capture(held, chargeOfNano(30n))
  expect([statements('leases'), statements('settle')]).toEqual([1, 0])
  expect(captured).toMatchObject({ charged: 30n, balancesAfter: { USD: 970n } })
  await ledger.flush()
  expect(statements('settle')).toBe(1)
  expect(await ledger.balancesOf(account)).toMatchObject({ USD: 970n })
})

test('the requests of a busy account are answered from one lease', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000_000n })
  for (let n = 0; n < 200; n++) {
    const held = await ledger.hold(asking(account, 10n))
    expect(held.balancesBefore?.USD).toBe(1_000_000n - BigInt(n) * 7n)
    await ledger.capture(held, chargeOfNano(7n))
  }
  expect(statements('leases')).toBeLessThan(30)
  await ledger.settled()
  expect(await moneyOf(account)).toEqual({ posted: '998600', held: '0' })
})

test('a lease never takes more for later requests than a tenth of what is there', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const held = await Promise.all(Array.from({ length: 5 }, () => ledger.hold(asking(account, 100n))))
  await ledger.hold(asking(account, 100n))
  expect(Number(((await moneyOf(account)) as { held: string }).held)).toBeLessThanOrEqual(640)
  for (const one of held) await ledger.release(one)
})

test('what nobody used for ten seconds goes back', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  await ledger.release(await ledger.hold(asking(account, 100n)))
  expect(await moneyOf(account)).toEqual({ posted: '1000', held: '100' })
  const now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now + 11_000)
  try {
    await vi.waitFor(async () => expect(await moneyOf(account)).toEqual({ posted: '1000', held: '0' }))
  } finally {
    vi.mocked(performance.now).mockRestore()
  }
})

test('small charges of one moment are written as one, with lines that add up', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const holds = await Promise.all(
    [3n, 4n, 5n].map((amount) => ledger.hold(asking(account, amount, { isShared: true }))),
  )
  for (const held of holds) await ledger.capture(held, chargeOfNano(held.amount))
  await ledger.flush()
  const records = await database.query('select request_id, lines from usage_record where account_id = $1', [account])
  expect(records).toEqual([
    {
      request_id: expect.stringMatching(/^shared-/),
      lines: [{ sku: 'test-unit', units: 12, price: '1000', amount: '12' }],
    },
  ])
  expect(await ledger.balancesOf(account)).toMatchObject({ USD: 988n })
})

test('charges that are written together keep their order', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const requests = []
  for (let n = 0; n < 5; n++) {
    const held = await ledger.hold(asking(account, 10n))
    await ledger.capture(held, chargeOfNano(1n))
    requests.push(held.requestId)
  }
  await ledger.flush()
  const rows = await database.query<{ request: string }>(
    'select request_id as request from usage_record where account_id = $1 order by at',
    [account],
  )
  expect(rows.map(({ request }) => request)).toEqual(requests)
})

test('a revoked key, a blocked account and a credit count within a moment, whoever made them', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const keyId = await makeKey(database, account)
  await ledger.release(await ledger.hold(asking(account, 100n, { keyId })))
  await ledger.release(await ledger.hold(asking(account, 100n)))
  await database.query('update api_key set revoked_at = now() where id = $1', [keyId])
  await vi.waitFor(() =>
    expect(ledger.hold(asking(account, 1n, { keyId }))).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' }),
  )
  await database.query(`select credit($1::uuid, 'USD', 7::bigint, 'grant', 'promotion', $2, null)`, [account, uuid()])
  await vi.waitFor(async () => {
    const held = await ledger.hold(asking(account, 1n))
    await ledger.release(held)
    expect(held.balancesBefore?.USD).toBe(1_007n)
  })
  await database.query(`update account set status = 'disabled' where id = $1`, [account])
  await vi.waitFor(() =>
    expect(ledger.hold(asking(account, 1n))).rejects.toMatchObject({ code: 'API_ACCESS_DISABLED' }),
  )
})

test('a key that expires is refused from then on', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const keyId = await makeKey(database, account)
  await database.query(`update api_key set expires_at = now() + interval '1 hour' where id = $1`, [keyId])
  await ledger.release(await ledger.hold(asking(account, 100n, { keyId })))
  await ledger.release(await ledger.hold(asking(account, 100n, { keyId })))
  expect(statements('leases')).toBe(1)
  const later = Date.now() + 3_601_000
  vi.spyOn(Date, 'now').mockReturnValue(later)
  // The embedded database has this clock too.
  await expect(ledger.hold(asking(account, 100n, { keyId }))).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  vi.mocked(Date.now).mockRestore()
})

test('a request knows that it is open, and what was charged, before anything is written', async () => {
  const ledger = startLedger()
  const account = await makeAccount(database, { USD: 1_000n })
  const held = await ledger.hold(asking(account, 100n))
  expect(ledger.isOpen(account, held.requestId)).toBe(true)
  await ledger.capture(held, chargeOfNano(30n))
  expect(ledger.isOpen(account, held.requestId)).toBe(false)
  expect(ledger.knownBalances(account)).toMatchObject({ USD: 970n })
})
