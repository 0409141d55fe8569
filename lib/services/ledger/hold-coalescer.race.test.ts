import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano, pico } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import { chargeOf } from '@/lib/services/ledger/meter'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

/** The long run: SHARED_CALLS=100000. */
const CALLS = Number(process.env.SHARED_CALLS ?? 6_000)
const SEED = Number(process.env.LEDGER_SEED ?? Date.now() & 0x7fff_ffff)
const PROCESSES = 4
const IN_FLIGHT = 96
/** Of a shared hold: how long a revoked key may still join it. */
const LIFE_MS = 1_000
/** Of a call at its node. */
const LONGEST_CALL_MS = 12

const server = await realDatabase()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(2)))
const database = databases[0] as Database

type Balance = { account: string; key?: string; credit: bigint; limit?: bigint }
type Plan = { purse: number; units: number; delivered: number; waitMs: number }
type Call = {
  purse: Balance
  amount: bigint
  askedAt: number
  answeredAt: number
  endedAt: number
  charged: bigint
  refusal?: string
}

const plans = fc.record({
  purse: fc.nat({ max: 1_000 }),
  units: fc.integer({ min: 1, max: 40 }),
  /** Of the units, in tenths; nothing for a call that failed. */
  delivered: fc.oneof(fc.constant(0), fc.constant(10), fc.constant(10), fc.integer({ min: 1, max: 10 })),
  waitMs: fc.nat({ max: LONGEST_CALL_MS }),
})

async function expectSound(): Promise<void> {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
}

/** Accounts with plenty and with little, some with keys of any sort of limit. A purse is what one desk has. */
async function makeBalances(): Promise<Balance[]> {
  const balances: Balance[] = []
  for (let n = 0; n < 24; n++) {
    const credit = n % 3 === 0 ? 10_000_000n : BigInt(500 + n * 100)
    const account = await makeAccount(database, { USD: credit })
    if (n % 2 === 0) balances.push({ account, credit })
    for (const limit of n % 4 === 0 ? [] : [undefined, BigInt(300 + n * 50)]) {
      balances.push({
        account,
        key: await makeKey(database, account, { usd: limit, period: 'LIFETIME' }),
        credit,
        limit,
      })
    }
  }
  return balances
}

/** One call as the proxy makes it: shared credit, a wait for the node, the end. */
async function makeCall(ledger: Ledger, balance: Balance, plan: Plan): Promise<Call> {
  const amount = chargeOf([{ sku: 'call', units: plan.units, price: pico(1_000n) }]).amount
  const call: Call = { purse: balance, amount, askedAt: performance.now(), answeredAt: 0, endedAt: 0, charged: 0n }
  try {
    const shared = await ledger.share({ accountId: balance.account, keyId: balance.key, requestId: uuid(), amount })
    call.answeredAt = performance.now()
    expect(shared.hold.amount).toBe(amount)
    await sleep(plan.waitMs)
    const units = Math.ceil((plan.units * plan.delivered) / 10)
    const charge = units === 0 ? undefined : chargeOf([{ sku: 'call', units, price: pico(1_000n) }])
    const { charged } = await shared.end(charge)
    expect(charged).toBe(charge?.amount ?? 0n)
    call.charged = charged
    call.endedAt = performance.now()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    call.refusal = error.code
    call.answeredAt = performance.now()
  }
  return call
}

/** What others of the account, or of the key, had or may have had set aside or spent when this call was refused. */
function committed(calls: Call[], refused: Call, isOther: (call: Call) => boolean): bigint {
  return calls
    .filter((call) => !call.refusal && call.askedAt <= refused.answeredAt && isOther(call))
    .reduce((sum, call) => sum + (call.endedAt < refused.askedAt ? call.charged : call.amount), 0n)
}

/** Whether the refused call would have been refused with a hold of its own, too. */
function isJust(calls: Call[], refused: Call): boolean {
  const { account, key, credit, limit } = refused.purse
  const ofAccount = committed(calls, refused, (call) => call.purse.account === account)
  if (credit - ofAccount < refused.amount) return true
  return limit !== undefined && limit - committed(calls, refused, (call) => call.purse.key === key) < refused.amount
}

async function runAll(ledgers: Ledger[], balances: Balance[], seed: number): Promise<Call[]> {
  const list = fc.sample(plans, { seed, numRuns: CALLS })
  const calls: Call[] = []
  let next = 0
  const worker = async (n: number): Promise<void> => {
    while (next < list.length) {
      const plan = list[next++] as Plan
      const balance = balances[plan.purse % balances.length] as Balance
      calls.push(await makeCall(ledgers[n % ledgers.length] as Ledger, balance, plan))
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => worker(n)))
  await Promise.all(ledgers.map((ledger) => ledger.settled()))
  return calls
}

/** The tables say what the calls were told. */
async function expectSums(calls: Call[], purses: Balance[]): Promise<void> {
  const spent = (is: (call: Call) => boolean) => calls.filter(is).reduce((sum, { charged }) => sum + charged, 0n)
  const accounts = [...new Map(purses.map(({ account, credit }) => [account, credit]))]
  const balances = await database.query<{ account_id: string; posted: string; held: string }>(
    'select account_id, posted::text, held::text from balance where account_id = any($1::uuid[])',
    [accounts.map(([account]) => account)],
  )
  expect(Object.fromEntries(balances.map((row) => [row.account_id, `${row.posted} ${row.held}`]))).toEqual(
    Object.fromEntries(
      accounts.map(([account, credit]) => [account, `${credit - spent((call) => call.purse.account === account)} 0`]),
    ),
  )
  const keys = purses.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const counted = await database.query<{ id: string; spent: string; held: string }>(
    'select id, spent_usd::text as spent, held_usd::text as held from api_key where id = any($1::uuid[])',
    [keys],
  )
  expect(Object.fromEntries(counted.map((row) => [row.id, `${row.spent} ${row.held}`]))).toEqual(
    Object.fromEntries(keys.map((key) => [key, `${spent((call) => call.purse.key === key)} 0`])),
  )
}

test(`${CALLS} overlapping calls are charged to the nano-dollar, and none is refused that alone would not be (seed ${SEED})`, async () => {
  const balances = await makeBalances()
  const ledger = createLedger(database)
  const calls = await runAll([ledger], balances, SEED)
  await expectSums(calls, balances)
  const refused = calls.filter((call) => call.refusal)
  expect(refused.filter((call) => !isJust(calls, call))).toEqual([])
  expect(refused.length).toBeGreaterThan(0)
  const [holds] = await database.query<{ count: number }>('select count(*)::int as count from hold')
  expect(holds?.count).toBeLessThan(calls.length - refused.length)
  await expectSound()
}, 300_000)

test(`${CALLS} calls in ${PROCESSES} processes at once keep the sums and every invariant (seed ${SEED})`, async () => {
  const balances = await makeBalances()
  const calls = await runAll(databases.map(createLedger), balances, SEED + 1)
  await expectSums(calls, balances)
  await expectSound()
}, 300_000)

test('credit that chats, too, want is given back to whoever needs it', async () => {
  const CREDIT = 100_000n
  const account = await makeAccount(database, { USD: CREDIT })
  const ledger = createLedger(database)
  let isOver = false
  const spent: bigint[] = []
  const callers = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const call = await ledger.share({ accountId: account, requestId: uuid(), amount: nano(4n) })
      await sleep(5)
      spent.push((await call.end(chargeOfNano(1n))).charged)
    }
  })
  for (let n = 0; n < 50; n++) {
    await sleep(10)
    // What calls have, or may take meanwhile, is less than what is left; what is set aside for calls to come is more.
    const amount = nano(CREDIT - BigInt(spent.length) - 400n)
    const held = await ledger.hold({ accountId: account, requestId: 'chat', amount })
    await ledger.release(held, 'done')
  }
  isOver = true
  await Promise.all(callers)
  await ledger.settled()
  expect((await ledger.balancesOf(account)).USD).toBe(CREDIT - BigInt(spent.length))
  await expectSound()
})

test('a revoked key joins what it has open for a second at most, and is charged for what it got', async () => {
  const account = await makeAccount(database, { USD: 10_000_000n })
  const key = await makeKey(database, account)
  const balance = { account, key, credit: 10_000_000n }
  const ledger = createLedger(database)
  const calls: Call[] = []
  let isOver = false
  const callers = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      calls.push(await makeCall(ledger, balance, { purse: 0, units: 10, delivered: 10, waitMs: 2 }))
    }
  })
  await sleep(LIFE_MS / 2)
  await database.query('update api_key set revoked_at = now() where id = $1', [key])
  const revokedAt = performance.now()
  const lateCalls = () => calls.filter((call) => call.askedAt > revokedAt + LIFE_MS)
  await expect.poll(() => lateCalls().length, { timeout: 60_000 }).toBeGreaterThan(100)
  isOver = true
  await Promise.all(callers)
  await ledger.settled()
  const late = lateCalls()
  expect(new Set(late.map((call) => call.refusal))).toEqual(new Set(['AUTHENTICATION_FAILED']))
  await expectSums(calls, [balance])
  await expectSound()
})
