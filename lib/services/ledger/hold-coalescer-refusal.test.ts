import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import type { Hold, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'

// A refusal is as old as its statement: what was given back while it was on its way counts too.

const database = await testDatabase()

const asking = (accountId: string, amount: bigint): HoldRequest => ({
  accountId,
  requestId: uuid(),
  amount: nano(amount),
})

/** A ledger on the real database, of which the replies to some statements come only when they are let go. */
function slowLedger(isHeldUp: (statement: string) => boolean) {
  const executed = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const query: typeof database.query = async (text, parameters) => {
    const rows = await database.query<never>(text, parameters)
    if (isHeldUp(text)) {
      executed.resolve()
      await letGo.promise
    }
    return rows
  }
  return { ledger: createLedger({ ...database, query }), executed: executed.promise, letGo: letGo.resolve }
}

/** Two calls in one hold: the first ends and took 1 of its 6, the second, of 1, goes on. */
async function halfEmptyHold(ledger: Ledger, accountId: string): Promise<SharedHold> {
  const [first, second] = await Promise.all([6n, 1n].map((amount) => ledger.share(asking(accountId, amount))))
  await first!.end(chargeOfNano(1n))
  return second!
}

test('a hold that ends while a refusal for it is on its way does not leave it a refusal', async () => {
  const account = await makeAccount(database, { USD: 10n })
  let isAsked = false
  const { ledger, executed, letGo } = slowLedger((statement) => isAsked && statement.includes('holds('))
  const last = await halfEmptyHold(ledger, account)
  await last.end(undefined)
  isAsked = true
  const wanted = ledger.hold(asking(account, 9n))
  await executed
  isAsked = false
  // It is refused by now, for what no call is in; and that is given back before the refusal arrives.
  await expect.poll(async () => (await ledger.balancesOf(account)).USD).toBe(9n)
  letGo()
  expect((await wanted).amount).toBe(9n)
})

test('two that are refused at the same moment both wait for what is given back', async () => {
  const account = await makeAccount(database, { USD: 10n })
  const ledger = createLedger(database)
  const running = await halfEmptyHold(ledger, account)
  const outcomes = await Promise.allSettled([4n, 4n].map((amount) => ledger.hold(asking(account, amount))))
  expect(outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Hold>).value?.amount)).toEqual([4n, 4n])
  await running.end(undefined)
})
