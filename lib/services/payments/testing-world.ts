import { afterAll, expect } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import type { Database } from '@/lib/db/database'
import { rails } from '@/lib/services/chains/rails'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chainOf } from '@/lib/services/payments/chain'
import { fromClient } from '@/lib/services/payments/facilitator'
import type { Payment } from '@/lib/services/payments/payment-types'
import { type Outcome, reconcilePayments } from '@/lib/services/payments/reconciler'
import type { Point } from '@/lib/services/payments/settlement'
import { createStore } from '@/lib/services/payments/store'
import { paymentMaker } from '@/lib/services/payments/testing-payments'
import { createTopUps, type TopUps } from '@/lib/services/payments/top-up'
import type { TestChains } from '@/sandbox/testing'

export type Said = { status: number; code: string; state: string | undefined; credit: bigint }

export async function paymentWorld(database: Database, chains: TestChains) {
  const store = createStore(async () => database)
  const { client, ...maker } = await paymentMaker(chains)
  const facilitator = fromClient(client)
  const ledger = createLedger(database)
  const tools = { store, rails, chainOf, database: async () => database, reorg: { blocks: 2n, misses: 2 } }

  const accountOf = async (wallet: string): Promise<string> =>
    (await database.query<{ id: string }>('select id from account where ref = $1', [wallet]))[0]?.id ?? ''

  async function creditOf(wallet: string): Promise<bigint> {
    const id = await accountOf(wallet)
    return id === '' ? 0n : (await ledger.balancesOf(id)).USD
  }

  async function dieAt(point: Point, payment: Payment): Promise<void> {
    const arrived = Promise.withResolvers<void>()
    const at = (reached: Point) => {
      if (reached !== point) return
      arrived.resolve()
      return new Promise<void>(() => undefined)
    }
    void createTopUps({ store, chainOf, facilitator: async () => facilitator, at }).credit(payment)
    await arrived.promise
    await database.query(`update payment set lease_until = now() - interval '1 second' where key = $1`, [payment.key])
  }

  afterAll(async () => {
    await ledger.settled()
    const findings = await checkLedger(database, { depth: 'full' })
    expect(findings.filter(({ broken }) => broken > 0)).toEqual([])
  })

  return {
    ...maker,
    store,
    ledger,
    facilitator,
    tools,
    accountOf,
    dieAt,
    credit: (payment: Payment) =>
      createTopUps({ store, chainOf, facilitator: async () => facilitator, waitsMs: [50, 100] }).credit(payment),
    async send(payment: Payment, through: TopUps): Promise<Said> {
      const { status, code } = await through.credit(payment).then(
        () => ({ status: 200, code: 'OK' }),
        (error: unknown) =>
          error instanceof ApiError ? { status: error.status, code: error.code } : Promise.reject(error),
      )
      const row = await store.find(payment.key)
      return { status, code, state: row?.state, credit: await creditOf(payment.payer) }
    },
    stateOf: async ({ key }: Payment) => (await store.find(key))?.state,
    creditOf,
    outcomeOf: async ({ key }: Payment): Promise<Outcome | undefined> =>
      (await reconcilePayments(tools, { isEarly: true })).find(({ row }) => row.key === key)?.outcome,
  }
}
