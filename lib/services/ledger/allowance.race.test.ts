import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'

const PROCESSES = 8
const server = await realDatabase()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(1)))
const database = databases[0] as Database
const ledgers = databases.map((database) => createLedger(database))
const ledger = ledgers[0]!

const everywhere = <T>(run: (ledger: (typeof ledgers)[number], n: number) => Promise<T>) =>
  Promise.all(ledgers.map(run))
const diemOf = async (account: string) => (await ledger.balancesOf(account)).DIEM

/** What the ledger says of the daily credit, in its order. */
const history = (account: string) =>
  database
    .query<{ line: string }>(
      `select t.kind || ' ' || e.amount as line from entry e join txn t on t.id = e.txn_id
       where e.account_id = $1 order by e.seq`,
      [account],
    )
    .then((rows) => rows.map((row) => row.line))

async function expectSound(): Promise<void> {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
}

test('a day is granted once, however many processes ask', async () => {
  for (let round = 0; round < 20; round++) {
    const account = await makeAccount(database)
    const answers = await everywhere((one) => one.allow(account, '2030-01-01', nano(300n)))
    expect(answers.filter(({ outcome }) => outcome === 'granted')).toHaveLength(1)
    expect(answers.every(({ granted }) => granted === 300n)).toBe(true)
    expect(await history(account)).toEqual(['grant 300'])
  }
  await expectSound()
})

test('a new day takes what the last one left, once, and gives its own', async () => {
  for (let round = 0; round < 20; round++) {
    const account = await makeAccount(database)
    await ledger.allow(account, '2030-01-01', nano(300n))
    const held = await ledger.hold({ accountId: account, requestId: uuid(), amount: nano(100n) })
    await ledger.capture(held, chargeOfNano(100n))
    const answers = await everywhere((one) => one.allow(account, '2030-01-02', nano(500n)))
    expect(answers.map(({ expired }) => expired).filter((expired) => expired > 0n)).toEqual([200n])
    expect(await history(account)).toEqual(['grant 300', 'charge -100', 'expire -200', 'grant 500'])
  }
  await expectSound()
})

test('at midnight a process that is late gives nothing of the day that is over', async () => {
  for (let round = 0; round < 20; round++) {
    const account = await makeAccount(database)
    await ledger.allow(account, '2030-01-01', nano(300n))
    await everywhere((one, n) => one.allow(account, n % 2 ? '2030-01-02' : '2030-01-01', nano(n % 2 ? 500n : 400n)))
    expect(await diemOf(account)).toBe(500n)
    expect(await ledger.allow(account, '2030-01-01', nano(900n))).toMatchObject({ outcome: 'late', granted: 0n })
  }
  await expectSound()
})

test('a larger stake grants the difference once, a smaller one takes nothing back', async () => {
  const account = await makeAccount(database)
  await ledger.allow(account, '2030-01-01', nano(300n))
  await everywhere((one, n) => one.allow(account, '2030-01-01', nano(n % 2 ? 450n : 100n)))
  expect(await history(account)).toEqual(['grant 300', 'grant 150'])
  await ledger.allow(account, '2030-01-01', nano(0n))
  expect(await diemOf(account)).toBe(450n)
  await expectSound()
})

test('midnight and requests at the same time lose and invent nothing', async () => {
  const account = await makeAccount(database, { USD: 100_000n })
  await ledger.allow(account, '2030-01-01', nano(2_000n))
  await everywhere(async (one, n) => {
    for (let step = 0; step < 40; step++) {
      const held = await one.hold({ accountId: account, requestId: uuid(), amount: nano(20n) })
      if (step % 10 === n) await one.allow(account, `2030-01-0${2 + Math.floor(step / 10)}`, nano(1_000n))
      await one.capture(held, chargeOfNano(15n))
    }
  })
  await expectSound()
  await ledger.allow(account, '2030-02-01', nano(0n))
  expect(await diemOf(account)).toBe(0n)
  await expectSound()
})
