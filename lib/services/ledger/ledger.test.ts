import { afterAll, describe, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { testDatabase } from '@/lib/db/testing'
import {
  balancesOf,
  capture,
  createLedger,
  credit,
  debit,
  extend,
  flushCharges,
  hold,
  type Ledger,
  release,
  settled,
} from '@/lib/services/ledger/ledger'
import type { HoldRequest } from '@/lib/services/ledger/ledger-types'
import { sweep } from '@/lib/services/ledger/sweep'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'

const database = await testDatabase()

const asking = (accountId: string, amount: bigint, more: Partial<HoldRequest> = {}): HoldRequest => ({
  accountId,
  requestId: uuid(),
  amount: nano(amount),
  ...more,
})

const heldOf = async (accountId: string) =>
  (await database.query<{ held: string }>('select held::text from balance where account_id = $1', [accountId]))[0]?.held
const usdOf = async (accountId: string) => (await balancesOf(accountId)).USD
const expire = (processId: string) =>
  database.query(`update ledger_process set seen_at = now() - interval '1 minute' where id = $1`, [processId])

describe('hold, capture, release', () => {
  test('a hold sets credit aside, a capture takes its charge and gives the rest back', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const held = await hold(asking(account, 60n))
    expect(held).toMatchObject({ currency: 'USD', amount: 60n, balancesBefore: { USD: 100n } })
    expect(await usdOf(account)).toBe(40n)
    expect(await capture(held, chargeOfNano(25n))).toMatchObject({
      charged: 25n,
      currency: 'USD',
      balancesAfter: { USD: 75n },
    })
    expect(await usdOf(account)).toBe(75n)
  })

  test('capturing twice takes once and tells the same, at once or later', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const held = await hold(asking(account, 60n))
    const [first, second] = await Promise.all([capture(held, chargeOfNano(25n)), capture(held, chargeOfNano(50n))])
    expect(second).toEqual(first)
    expect(await capture(held, chargeOfNano(60n))).toEqual(first)
    await release(held)
    expect(await usdOf(account)).toBe(75n)
  })

  test('a release, and a charge of nothing, give all back and leave no transaction', async () => {
    const account = await makeAccount(database, { USD: 100n })
    expect(await release(await hold(asking(account, 60n)))).toMatchObject({ USD: 100n })
    await capture(await hold(asking(account, 60n)), chargeOfNano(0n))
    expect(await usdOf(account)).toBe(100n)
    expect(await database.query('select 1 from usage_record where account_id = $1', [account])).toEqual([])
  })

  test('a hold of nothing asks the database nothing', async () => {
    const held = await hold(asking('not even an id', 0n))
    expect(held.balancesBefore).toBeUndefined()
    expect(await capture(held, chargeOfNano(0n))).toEqual({ charged: 0n, currency: 'USD' })
    await release(held)
    await expect(capture(held, chargeOfNano(1n))).rejects.toThrow(RangeError)
  })

  test('what a charge was for is kept with it', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const request = asking(account, 60n)
    await capture(await hold(request), { ...chargeOfNano(25n), isEstimated: true, durationMs: 12 })
    await flushCharges()
    expect(await database.query('select * from usage_record where account_id = $1', [account])).toMatchObject([
      {
        request_id: request.requestId,
        model_id: 'test',
        prompt_tokens: 1,
        completion_tokens: 2,
        duration_ms: 12,
        is_estimated: true,
        lines: [{ sku: 'test-unit', units: 25, price: '1000', amount: '25' }],
      },
    ])
  })

  test('a charge beyond the hold takes what the balance still has, and the rest is written off', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const covered = await hold(asking(account, 10n))
    expect(await capture(covered, chargeOfNano(30n))).toMatchObject({ charged: 30n, balancesAfter: { USD: 70n } })
    const uncovered = await hold(asking(account, 60n))
    expect(await capture(uncovered, chargeOfNano(100n))).toMatchObject({ charged: 70n, balancesAfter: { USD: 0n } })
    await flushCharges()
    const written = await database.query(
      `select e.house, e.amount::text from entry e join txn t on t.id = e.txn_id where t.idempotency_key = $1 order by e.leg`,
      [`write-off:${uncovered.id}`],
    )
    expect(written).toEqual([
      { house: 'write_off', amount: '-30' },
      { house: 'revenue', amount: '30' },
    ])
    const [record] = await database.query<{ lines: unknown }>('select lines from usage_record where txn_id = $1', [
      uncovered.id,
    ])
    expect(record?.lines).toMatchObject([{ amount: '70' }])
  })

  test('amounts beyond what a double can hold stay exact', async () => {
    const much = 9_007_199_254_740_993n
    const account = await makeAccount(database, { USD: much })
    const held = await hold(asking(account, much))
    expect(held.balancesBefore?.USD).toBe(much)
    expect(await capture(held, { amount: nano(much - 2n), lines: [] })).toMatchObject({ charged: much - 2n })
    expect(await usdOf(account)).toBe(2n)
  })
})

describe('many at once', () => {
  test('the holds of one moment share the balance exactly', async () => {
    const account = await makeAccount(database, { USD: 1000n })
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => hold(asking(account, 100n))))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(10)
    expect(await usdOf(account)).toBe(0n)
  })

  test('a small hold is not refused because a large one came with it', async () => {
    const account = await makeAccount(database, { USD: 10n })
    const [first, large, small] = await Promise.allSettled([8n, 9n, 2n].map((amount) => hold(asking(account, amount))))
    expect([first?.status, large?.status, small?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('a row that breaks its statement fails alone', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const [good, bad, other] = await Promise.allSettled([
      hold(asking(account, 1n)),
      hold(asking('no uuid', 1n)),
      hold(asking(account, 2n)),
    ])
    expect([good?.status, bad?.status, other?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('captures and extensions of one moment are each settled', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const holds = await Promise.all(Array.from({ length: 10 }, () => hold(asking(account, 8n))))
    expect((await Promise.all(holds.map((held) => extend(held, nano(5n))))).filter(Boolean)).toHaveLength(4)
    await Promise.all(holds.map((held, index) => (index % 2 ? capture(held, chargeOfNano(3n)) : release(held))))
    expect(await usdOf(account)).toBe(85n)
  })
})

describe('crashes', () => {
  const processes: Ledger[] = []
  afterAll(() => {
    for (const one of processes) one.abandon()
  })

  function startProcess(own: Database = database) {
    const processId = uuid()
    const ledger = createLedger(own, { processId })
    processes.push(ledger)
    return { ledger, processId }
  }

  test('a sweep charges the last checkpoint and gives the rest back', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const { ledger, processId } = startProcess()
    const held = await ledger.hold(asking(account, 60n))
    ledger.checkpoint(held, chargeOfNano(5n))
    ledger.checkpoint(held, chargeOfNano(20n))
    await ledger.settled()
    await expire(processId)
    expect(await sweep(database)).toBe(1)
    expect(await usdOf(account)).toBe(80n)
    // It was alive after all: what was charged for the request stays what it is.
    await ledger.capture(held, chargeOfNano(50n))
    await ledger.settled()
    expect(await usdOf(account)).toBe(80n)
  })

  test('a hold that nothing was delivered for is released by a sweep, a living one is left alone', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const { ledger, processId } = startProcess()
    await ledger.hold(asking(account, 60n))
    const living = await hold(asking(account, 10n))
    await expire(processId)
    expect(await sweep(database)).toBe(1)
    expect(await usdOf(account)).toBe(90n)
    await release(living)
  })

  test('a process that was thought to be dead trusts nothing that it leased, and what it spent is charged', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const { ledger, processId } = startProcess()
    const held = await ledger.hold(asking(account, 60n))
    await expire(processId)
    await sweep(database)
    expect(await capture(await hold(asking(account, 70n)), chargeOfNano(70n))).toMatchObject({ charged: 70n })
    await settled()
    await ledger.capture(held, chargeOfNano(50n))
    await ledger.settled()
    // Of 50 that were delivered 30 are still there, and the operator bears the rest.
    expect(await usdOf(account)).toBe(0n)
    await expect(ledger.hold(asking(account, 1n))).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  })

  test('a charge that cannot be written is kept and written when the database is back', async () => {
    const account = await makeAccount(database, { USD: 100n })
    let isAway = false
    const { ledger } = startProcess({
      ...database,
      query: (text, parameters) =>
        isAway ? Promise.reject(new DatabaseUnavailable('away')) : database.query(text, parameters),
    })
    const held = await ledger.hold(asking(account, 60n))
    isAway = true
    await expect(ledger.extend(held, nano(1n))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      // Nobody is told that nothing was charged once work has begun.
      message: expect.stringContaining('You are charged only for what was delivered'),
    })
    expect(await ledger.capture(held, chargeOfNano(30n))).toMatchObject({ charged: 30n, balancesAfter: { USD: 70n } })
    await expect(ledger.hold(asking(account, 50n))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('Nothing was charged'),
    })
    await expect(ledger.flush()).rejects.toThrow('away')
    isAway = false
    await ledger.settled()
    expect(await usdOf(account)).toBe(70n)
    expect(await heldOf(account)).toBe('0')
  })

  test('with LEDGER_WAIT a charge is answered when it is written', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const ledger = createLedger(database, { waits: true })
    processes.push(ledger)
    await ledger.capture(await ledger.hold(asking(account, 60n)), chargeOfNano(30n))
    const [row] = await database.query<{ posted: string }>('select posted::text from balance where account_id = $1', [
      account,
    ])
    expect(row?.posted).toBe('70')
  })
})

describe('credits', () => {
  test('the same credit twice counts once, another under its key is refused', async () => {
    const accountId = await makeAccount(database)
    const given = { accountId, currency: 'USD', amount: nano(7n), kind: 'credit', idempotencyKey: uuid() } as const
    expect((await Promise.all([credit(given), credit(given)])).map((balances) => balances.USD)).toEqual([7n, 7n])
    await expect(credit({ ...given, amount: nano(8n) })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  test('entries cannot be changed, removed or written out of balance', async () => {
    const account = await makeAccount(database, { USD: 7n })
    for (const statement of ['update entry set amount = 1', 'delete from entry', 'delete from txn', 'truncate entry']) {
      await expect(database.query(statement)).rejects.toThrow('append-only')
    }
    const [txn] = await database.query<{ id: string }>('select txn_id as id from entry where account_id = $1', [
      account,
    ])
    await expect(
      database.query(`insert into entry (txn_id, leg, account_id, currency, amount) values ($1, 3, $2, 'USD', 1)`, [
        txn?.id,
        account,
      ]),
    ).rejects.toThrow('do not add up')
  })
})

describe('debits', () => {
  test('takes what can be spent up to the asked, never what is held, and a repeat tells the same', async () => {
    const accountId = await makeAccount(database, { USD: 100n })
    await hold(asking(accountId, 30n))
    const taken = {
      accountId,
      currency: 'USD',
      maxNanoUsd: nano(80n),
      kind: 'reversal',
      idempotencyKey: uuid(),
    } as const
    expect(await Promise.all([debit(taken), debit(taken)])).toEqual([70n, 70n])
    expect(await debit({ ...taken, maxNanoUsd: nano(5n) })).toBe(70n)
    expect(await usdOf(accountId)).toBe(0n)
    const legs = await database.query(
      `select e.house, e.amount::text, e.balance_after::text from entry e join txn t on t.id = e.txn_id
       where t.idempotency_key = $1 order by e.leg`,
      [taken.idempotencyKey],
    )
    expect(legs).toEqual([
      { house: null, amount: '-70', balance_after: '30' },
      { house: 'clearing', amount: '70', balance_after: null },
    ])
  })

  test('what finds nothing writes nothing and may come again', async () => {
    const accountId = await makeAccount(database)
    const taken = {
      accountId,
      currency: 'USD',
      maxNanoUsd: nano(8n),
      kind: 'reversal',
      idempotencyKey: uuid(),
    } as const
    expect(await debit(taken)).toBe(0n)
    await credit({ accountId, currency: 'USD', amount: nano(5n), kind: 'grant', idempotencyKey: uuid() })
    expect(await debit(taken)).toBe(5n)
  })

  test('the key of another account or kind is refused, and takes nothing', async () => {
    const [one, other] = [await makeAccount(database, { USD: 10n }), await makeAccount(database, { USD: 10n })]
    const taken = {
      accountId: one,
      currency: 'USD',
      maxNanoUsd: nano(4n),
      kind: 'reversal',
      idempotencyKey: uuid(),
    } as const
    await debit(taken)
    for (const reused of [
      { ...taken, accountId: other },
      { ...taken, kind: 'expire' } as const,
      { ...taken, currency: 'DIEM' } as const,
    ]) {
      if (reused.currency === 'DIEM')
        await credit({ accountId: one, currency: 'DIEM', amount: nano(1n), kind: 'grant', idempotencyKey: uuid() })
      await expect(debit(reused)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    }
    expect([await usdOf(one), await usdOf(other)]).toEqual([6n, 10n])
  })
})
