import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { allow, capture, checkpoint, hold, release, settled, transfer } from '@/lib/services/ledger/ledger'
import type { HoldRequest } from '@/lib/services/ledger/ledger-types'
import { toUsage } from '@/lib/services/ledger/statements'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

const database = await testDatabase()

const broken = async (depth: 'full' | 'gauges' = 'full') =>
  (await checkLedger(database, { depth })).filter((finding) => finding.broken > 0).map((finding) => finding.name)

/** Runs `change` in a transaction of its own with the triggers off, looks, and takes all back. */
async function afterTampering(change: string): Promise<string[]> {
  let found: string[] = []
  const client = database.drizzle
  const undone = new Error('undone')
  await client
    .transaction(async (transaction) => {
      await transaction.execute(`set local session_replication_role = replica`)
      for (const statement of change.split(';')) await transaction.execute(statement)
      found = (await checkLedger({ ...database, drizzle: transaction }, { depth: 'full' }))
        .filter((finding) => finding.broken > 0)
        .map((finding) => finding.name)
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  return found
}

test('a ledger in use is sound, and each way of tampering is found', async () => {
  const account = await makeAccount(database, { USD: 1000n, DIEM: 10n })
  const keyId = await makeKey(database, account, { usd: 500n })
  const request = () => ({ accountId: account, keyId, requestId: uuid(), amount: nano(100n) })
  await capture(await hold(request()), chargeOfNano(40n))
  await capture(await hold(request()), chargeOfNano(120n))
  await release(await hold(request()))
  const done = await jobHold(request())
  await database.query('select captures($1::jsonb)', [
    JSON.stringify([{ ord: 0, id: done, charge: '40', usage: toUsage(chargeOfNano(40n)) }]),
  ])
  const open = { id: await jobHold(request()) }
  const running = await hold(request())
  checkpoint(running, chargeOfNano(60n))
  await settled()
  const staker = await makeAccount(database)
  for (const amount of [30n, 50n]) await allow(staker, '2030-01-01', nano(amount))
  expect(await broken()).toEqual([])
  expect(await broken('gauges')).toEqual([])

  const charge = `(select id from txn where idempotency_key like 'charge:%' order by at limit 1)`
  const cases: [string, string[]][] = [
    [`update entry set amount = amount - 1 where txn_id = ${charge} and leg = 1`, ['INV-1', 'INV-2', 'INV-8', 'INV-9']],
    [`delete from entry where txn_id = ${charge}`, ['INV-1', 'INV-2', 'INV-8', 'INV-9', 'INV-13']],
    [`update balance set posted = posted + 1 where currency = 'USD'`, ['INV-2', 'INV-13']],
    [`update balance set held = held + 1 where currency = 'USD'`, ['INV-3']],
    [`update api_key set held_usd = held_usd - 1`, ['INV-3']],
    [
      `alter table balance drop constraint balance_available; update balance set held = 100000 where currency = 'USD'`,
      ['INV-3', 'INV-4'],
    ],
    [`update hold set excess = excess + 1 where excess = 0 and state = 'captured'`, ['INV-5', 'INV-9']],
    [`update hold set state = 'released', captured = null, excess = 0 where state = 'captured'`, ['INV-6', 'INV-9']],
    [`alter table entry disable trigger entry_append_only`, ['INV-8']],
    [`update usage_record set lines = '[]' where txn_id = ${charge}`, ['INV-9', 'INV-11']],
    [`update api_key set spent_usd = 450`, ['INV-10']],
    [`update ledger_process set seen_at = now() - interval '2 minutes'`, ['INV-12']],
    [`update checkpoint set amount = 101`, ['INV-17']],
    [`update checkpoint set id = ${charge} where id = '${running.id}'`, ['INV-17']],
    [`update txn set idempotency_key = 'x' where id = ${charge}`, ['INV-6']],
    [`update hold set expires_at = now() - interval '2 minutes' where id = '${open.id}'`, ['INV-12']],
    [`update allowance set granted = 49`, ['INV-15']],
    [`delete from allowance`, ['INV-15']],
    [jobRow({ state: 'queued', price: 5 }), ['INV-16']],
    [jobRow({ state: 'failed', price: 100, holdId: open.id }), ['INV-16']],
    [jobRow({ state: 'done', price: 40, holdId: open.id }), ['INV-16']],
  ]
  for (const [change, names] of cases) expect([change, ...(await afterTampering(change))]).toEqual([change, ...names])
  expect(await broken()).toEqual([])
})

async function jobHold(request: HoldRequest): Promise<string> {
  const id = uuid()
  const take = (lease: string) =>
    database.query(
      `with part as (update lease set amount = amount - 100 where id = $1 returning account_id, key_id, currency)
       insert into hold (id, account_id, key_id, currency, request_id, amount, expires_at)
       select $2, p.*, 'job', 100, now() + interval '1 hour' from part p`,
      [lease, id],
    )
  await transfer(await hold(request), request.amount, take, () => true)
  return id
}

/** A job whose money does not fit its state. */
function jobRow({ state, price, holdId }: { state: string; price: number; holdId?: string }): string {
  const [hold, end] = [holdId ? `'${holdId}'` : 'null', state === 'queued' ? 'null' : 'now()']
  return `insert into job (id, account_id, kind, model_id, state, hold_id, price, usage, deadline, finished_at)
    select gen_random_uuid(), id, 'video', 'm', '${state}', ${hold}, ${price}, '[]', now(), ${end} from account limit 1`
}

test('a limit set below what is spent is not a fault, spending more is', async () => {
  const account = await makeAccount(database, { USD: 1000n })
  const keyId = await makeKey(database, account, { usd: 500n })
  await capture(await hold({ accountId: account, keyId, requestId: uuid(), amount: nano(100n) }), chargeOfNano(100n))
  await settled()
  await database.query('update api_key set limit_usd = 10 where id = $1', [keyId])
  expect(await broken('gauges')).toEqual([])
  await database.query('update api_key set spent_usd = 101 where id = $1', [keyId])
  expect(await broken('gauges')).toEqual(['INV-10'])
  await database.query('update api_key set spent_usd = 100 where id = $1', [keyId])
})
