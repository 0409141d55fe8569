import 'server-only'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { isOutage, persist } from '@/lib/db/outage'
import { createBatcher } from '@/lib/kernel/batcher'
import { log } from '@/lib/kernel/log'
import {
  type Allowance,
  type Credit,
  type Debit,
  giveAllowance,
  giveCredit,
  takeDebit,
} from '@/lib/services/ledger/credit-debit'
import { createHeartbeat } from '@/lib/services/ledger/heartbeat'
import type { Balances, Captured, Charge, Hold, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { createSharedHolds } from '@/lib/services/ledger/hold-coalescer'
import { sumOf } from '@/lib/services/ledger/hold-pool'
import { chargeDelayed, isForMoney, ledgerUnavailable, refused } from '@/lib/services/ledger/refusal'
import {
  type EndRow,
  endHolds,
  extendHolds,
  placeHolds,
  readBalances,
  readPosted,
  toUsage,
} from '@/lib/services/ledger/statements'
import { sweepAbandonedHolds } from '@/lib/services/ledger/sweep'

const MAX_RETURN_ROUNDS = 3

export type Ledger = {
  hold: (request: HoldRequest) => Promise<Hold>
  share: (request: HoldRequest) => Promise<SharedHold>
  extend: (hold: Hold, by: Usd) => Promise<boolean>
  checkpoint: (hold: Hold, charge: Charge) => void
  capture: (hold: Hold, charge: Charge) => Promise<Captured>
  release: (hold: Hold, reason: string) => Promise<Balances | undefined>
  credit: (credit: Credit) => Promise<Balances>
  debit: (debit: Debit) => Promise<Usd>
  allow: (accountId: string, day: string, amount: Usd) => Promise<Allowance>
  balancesOf: (accountId: string) => Promise<Balances>
  sweep: () => Promise<number>
  settled: () => Promise<void>
  abandon: () => void
}

/** Creates a ledger on one database. A process has one (`ledger.ts`); tests have many, as many processes would. */
export function createLedger(database: Database): Ledger {
  const placing = createBatcher((rows: Parameters<typeof placeHolds>[1]) => placeHolds(database, rows), isOutage)
  const extending = createBatcher((rows: { id: string; by: Usd }[]) => extendHolds(database, rows), isOutage)
  const ending = createBatcher((rows: EndRow[]) => endHolds(database, rows), isOutage)
  const heartbeat = createHeartbeat(database)

  async function place(request: HoldRequest, maxRounds = 0): Promise<Hold> {
    const { accountId, keyId, requestId, amount, minimum, minimumBalance } = request
    if (amount < 0n) throw new RangeError(`${amount}: a hold cannot be negative`)
    const id = uuid()
    if (amount === 0n) return { id, accountId, keyId, requestId, currency: 'USD', amount }
    let row = { id, account: accountId, key: keyId, request: requestId, amount, minimum, floor: minimumBalance }
    const watch = shared.watch(accountId)
    let placed = await placing.add(row).catch(unavailable)
    for (let round = 0; round < maxRounds && placed.refusal && isForMoney(placed.refusal); round++) {
      const isOfKey = placed.refusal !== 'insufficient'
      if (!(await watch.returnUnused(isOfKey ? keyId : undefined))) break
      placed = await placing.add(row).catch(unavailable)
    }
    if (placed.refusal === 'insufficient' && (await hasElsewhere(row.floor, placed.balances, accountId))) {
      row = { ...row, floor: undefined }
      placed = await placing.add(row).catch(unavailable)
    }
    if (placed.refusal) throw refused(placed.refusal, { ...request, minimumBalance: row.floor }, placed.balances)
    heartbeat.track(id)
    return {
      id,
      accountId,
      keyId,
      requestId,
      currency: placed.currency,
      amount: placed.amount,
      balancesBefore: placed.balances,
    }
  }

  async function hasElsewhere(floor: Usd | undefined, balances: Balances, accountId: string): Promise<boolean> {
    if (floor === undefined || sumOf(balances) >= floor) return false
    return (await readPosted(database, accountId).catch(unavailable)) >= floor
  }

  const hold = (request: HoldRequest): Promise<Hold> => place(request, MAX_RETURN_ROUNDS)

  async function extend(hold: Hold, by: Usd): Promise<boolean> {
    if (by <= 0n) throw new RangeError(`${by}: a hold is extended by a positive amount`)
    if (hold.amount === 0n) return false
    const watch = shared.watch(hold.accountId)
    for (let round = 0; !(await grow(hold, by)); round++) {
      if (round === MAX_RETURN_ROUNDS || !(await watch.returnUnused())) return false
    }
    return true
  }

  /** A negative amount shrinks the hold: the database grants that to any open hold that may still spend. */
  async function grow(hold: Hold, by: bigint): Promise<boolean> {
    const isGranted = await extending.add({ id: hold.id, by: nano(by) }).catch(delayed)
    if (isGranted) hold.amount = nano(hold.amount + by)
    return isGranted
  }

  async function capture(hold: Hold, charge: Charge): Promise<Captured> {
    if (charge.amount < 0n) throw new RangeError(`${charge.amount}: a charge cannot be negative`)
    if (hold.amount === 0n) {
      if (charge.amount > 0n) throw new RangeError(`${charge.amount}: a hold of nothing cannot be charged`)
      return { charged: ZERO, currency: hold.currency }
    }
    const captured = await end({ id: hold.id, charge: charge.amount, usage: toUsage(charge) }).catch(
      (error: unknown) => {
        heartbeat.leave(hold.id, charge)
        return delayed(error)
      },
    )
    heartbeat.forget(hold.id)
    if (captured.charged < charge.amount) noteShortfall(hold, charge, captured)
    return captured
  }

  async function release(hold: Hold, reason: string): Promise<Balances | undefined> {
    // Nothing keeps it alive any more, so what cannot be given back now is given back by a sweep.
    heartbeat.forget(hold.id)
    if (hold.amount === 0n) return undefined
    const { balancesAfter } = await end({ id: hold.id, charge: ZERO, reason }).catch(delayed)
    return balancesAfter
  }

  const end = (row: EndRow): Promise<Captured> => persist(() => ending.add(row))

  async function settled(): Promise<void> {
    await shared.settled()
    await Promise.all([placing.settled(), extending.settled(), ending.settled()])
    await heartbeat.beat(true)
  }

  const checkpoint = (hold: Hold, charge: Charge): void => heartbeat.mark(hold.id, charge)
  const balancesOf = (accountId: string): Promise<Balances> => readBalances(database, accountId)
  const shared = createSharedHolds({
    hold,
    place,
    shrink: (hold, by) => grow(hold, -by),
    checkpoint,
    capture,
    release,
    balancesOf,
  })

  return {
    hold,
    share: shared.share,
    extend,
    checkpoint,
    capture,
    release,
    credit: (credit) => giveCredit(database, credit),
    debit: (debit) => takeDebit(database, debit),
    allow: (accountId, day, amount) => giveAllowance(database, accountId, day, amount),
    balancesOf,
    sweep: () => sweepAbandonedHolds(database),
    settled,
    abandon: heartbeat.stop,
  }
}

function unavailable(error: unknown): never {
  throw ledgerUnavailable(error)
}

function delayed(error: unknown): never {
  throw chargeDelayed(error)
}

function noteShortfall(hold: Hold, charge: Charge, captured: Captured): void {
  const facts = {
    hold: hold.id,
    asked: charge.amount.toString(),
    charged: captured.charged.toString(),
    request: hold.requestId,
  }
  log().warn(facts, 'a charge was not covered by its hold and balance')
}
