import 'server-only'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { isOutage, persist } from '@/lib/db/outage'
import { createBatcher } from '@/lib/kernel/batcher'
import { BoundedCache } from '@/lib/kernel/bounded-cache'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { createHeartbeat } from '@/lib/services/ledger/heartbeat'
import type { Balances, Captured, Charge, Hold, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { createSharedHolds } from '@/lib/services/ledger/hold-coalescer'
import { sumOf } from '@/lib/services/ledger/hold-pool'
import { chargeDelayed, isForMoney, ledgerUnavailable, refused } from '@/lib/services/ledger/refusal'
import {
  type Allowance,
  type Credit,
  type Debit,
  type EndRow,
  endHolds,
  extendHolds,
  giveAllowance,
  giveCredit,
  placeHolds,
  readBalances,
  readPosted,
  takeDebit,
  toUsage,
} from '@/lib/services/ledger/statements'

const holder = globalThis as typeof globalThis & {
  __serviceLedger?: { database: Database; ledger: Ledger }
}

async function processLedger(): Promise<Ledger> {
  const database = await getDb()
  if (holder.__serviceLedger?.database !== database) {
    holder.__serviceLedger?.ledger.abandon()
    holder.__serviceLedger = { database, ledger: createLedger(database) }
  }
  return holder.__serviceLedger.ledger
}

/**
 * Sets credit aside for a request, in the first currency (DIEM, bundled, USD) that covers it and that the key's limits
 * allow. The database decides, so a revoked key or a reached limit counts at once, in every process. A hold must end:
 * `capture` or `release` it. A hold of nothing costs no statement.
 * @throws ApiError INSUFFICIENT_BALANCE, API_KEY_USD_SPEND_LIMIT_EXCEEDED or API_KEY_DIEM_SPEND_LIMIT_EXCEEDED (402),
 * AUTHENTICATION_FAILED (401: the key is revoked or expired), API_ACCESS_DISABLED (403), SERVICE_UNAVAILABLE (503).
 */
export const hold = async (request: HoldRequest): Promise<Hold> => (await processLedger()).hold(request)

/**
 * Sets credit aside for a call of a fixed price. Calls of one account and key that overlap share one hold and one
 * capture; what a joined call hears of balances and of its key is then at most a second old.
 * @throws ApiError as `hold`.
 */
export const shareHold = async (request: HoldRequest): Promise<SharedHold> => (await processLedger()).share(request)

/**
 * Sets more aside for work that goes on; `hold.amount` grows with it.
 * @returns false when there is no more credit, the limit is reached, or the key or account may not spend any more.
 */
export const extend = async (hold: Hold, by: Usd): Promise<boolean> => (await processLedger()).extend(hold, by)

/** Notes what was delivered so far, for a sweep to charge should this process die. Written every 2 seconds at most. */
export function checkpoint(hold: Hold, charge: Charge): void {
  // A hold is open, so its ledger is: no need to wait.
  holder.__serviceLedger?.ledger.checkpoint(hold, charge)
}

/**
 * Charges a hold and releases the rest, once: a second call gets the first result. A charge of nothing releases.
 * @throws ApiError SERVICE_UNAVAILABLE when it could not be written; it then stays as a checkpoint, which a sweep
 * charges.
 */
export const capture = async (hold: Hold, charge: Charge): Promise<Captured> =>
  (await processLedger()).capture(hold, charge)

/**
 * Releases a hold; does nothing when it has ended already.
 * @returns what can be spent then; undefined for a hold of nothing.
 */
export const release = async (hold: Hold, reason: string): Promise<Balances | undefined> =>
  (await processLedger()).release(hold, reason)

/**
 * Gives an account money, once per key.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED when the key was used for another credit.
 */
export const credit = async (given: Credit): Promise<Balances> => (await processLedger()).credit(given)

/**
 * Takes up to `maxNanoUsd` of what an account may spend, once per key, and returns what was taken.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED when the key was used for something else.
 */
export const debit = async (request: Debit): Promise<Usd> => (await processLedger()).debit(request)

/**
 * Gives an account the daily credit of a UTC day (YYYY-MM-DD), `amount` in all; what is left of earlier days expires.
 */
export const allow = async (accountId: string, day: string, amount: Usd): Promise<Allowance> =>
  (await processLedger()).allow(accountId, day, amount)

export const balancesOf = async (accountId: string): Promise<Balances> => (await processLedger()).balancesOf(accountId)

export const settled = async (): Promise<void> => holder.__serviceLedger?.ledger.settled()

const TTL_MS = 2_000
const MAX_KNOWN = 10_000

const known = (): BoundedCache<string, Balances> =>
  perProcess('recent-balances', () => new BoundedCache(MAX_KNOWN, TTL_MS))

export function noteBalances(accountId: string, balances: Balances): void {
  known().set(accountId, balances, performance.now())
}

/** Returns what an account could spend at most two seconds ago: to show and to guard with, never to charge by. */
export async function recentBalances(accountId: string): Promise<Balances> {
  const remembered = known().get(accountId, performance.now())
  if (remembered) return remembered
  const balances = await balancesOf(accountId)
  noteBalances(accountId, balances)
  return balances
}

/**
 * `open`: still running or being settled. Otherwise `charged` is the total taken, 0 for a request that was free, failed
 * or never arrived.
 */
type ChargeOfRequest =
  | { state: 'open' }
  | { state: 'settled'; charged: Usd; modelId?: string; inputTokens?: number; outputTokens?: number }

type Row = { open: boolean; charged: string; model: string | null; input: number | null; output: number | null }

export async function chargeOfRequest(accountId: string, requestId: string): Promise<ChargeOfRequest> {
  const { query } = await getDb()
  const [row] = await query<Row>(
    `select
      exists (select from hold where state = 'open' and account_id = $1 and request_id = $2) as open,
      (select coalesce(-sum(e.amount), 0)::text from txn t join entry e on e.txn_id = t.id
        where t.request_id = $2 and e.account_id = $1) as charged,
      u.model_id as model, u.prompt_tokens as input, u.completion_tokens as output
     from (select 1) one
     left join lateral (
       select * from usage_record where request_id = $2 and account_id = $1 order by at desc limit 1
     ) u on true`,
    [accountId, requestId],
  )
  if (!row || row.open) return { state: 'open' }
  return {
    state: 'settled',
    charged: nano(BigInt(row.charged)),
    ...(row.model !== null && { modelId: row.model }),
    ...(row.input !== null && { inputTokens: row.input }),
    ...(row.output !== null && { outputTokens: row.output }),
  }
}

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
  settled: () => Promise<void>
  abandon: () => void
}

/** Creates a ledger on one database. A process has one; tests have many, as many processes would. */
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
