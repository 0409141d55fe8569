import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { config } from '@/lib/kernel/config'
import { BoundedCache } from '@/lib/kernel/expiring-maps'
import { perProcess } from '@/lib/kernel/per-process'
import { createLeases } from '@/lib/services/ledger/leases'
import type { Balances, Captured, Charge, Hold, HoldRequest } from '@/lib/services/ledger/ledger-types'
import {
  type Allowance,
  type Credit,
  type Debit,
  giveAllowance,
  giveCredit,
  takeDebit,
} from '@/lib/services/ledger/statements'

const holder = globalThis as typeof globalThis & {
  __serviceLedger?: { database: Database; ledger: Ledger }
}

async function processLedger(): Promise<Ledger> {
  const database = await getDb()
  if (holder.__serviceLedger?.database !== database) {
    void holder.__serviceLedger?.ledger.abandon()
    holder.__serviceLedger = {
      database,
      ledger: createLedger(database, { processId: ledgerProcessId(), waits: config().ledgerWaits }),
    }
  }
  return holder.__serviceLedger.ledger
}

/**
 * Sets credit aside for a request, in the first currency (DIEM, bundled, USD) that covers it and that the key's limits
 * allow. It is taken of what this process leases, so the database is asked only when that does not reach; a revoked key
 * or a changed limit counts in every process within 100 ms. A hold must end: `capture` or `release` it. A hold of nothing
 * asks nothing.
 * @throws ApiError INSUFFICIENT_BALANCE, API_KEY_USD_SPEND_LIMIT_EXCEEDED or API_KEY_DIEM_SPEND_LIMIT_EXCEEDED (402),
 * AUTHENTICATION_FAILED (401: the key is revoked or expired), API_ACCESS_DISABLED (403), SERVICE_UNAVAILABLE (503).
 */
export const hold = async (request: HoldRequest): Promise<Hold> => (await processLedger()).hold(request)

/**
 * Sets more aside for work that goes on; `hold.amount` grows with it.
 * @returns false when there is no more credit, the limit is reached, or the key or account may not spend any more.
 */
export const extend = async (hold: Hold, by: Usd): Promise<boolean> => (await processLedger()).extend(hold, by)

/** Notes what was delivered so far, for a sweep to charge should this process die. Written every 250 ms at most. */
export function checkpoint(hold: Hold, charge: Charge): void {
  // A hold is open, so its ledger is: no need to wait.
  holder.__serviceLedger?.ledger.checkpoint(hold, charge)
}

/**
 * Charges a hold and releases the rest, once: a second call gets the first result. A charge of nothing releases. It is
 * written behind the answer, within 50 ms; LEDGER_WAIT=on waits for that.
 */
export const capture = async (hold: Hold, charge: Charge): Promise<Captured> =>
  (await processLedger()).capture(hold, charge)

/**
 * Releases a hold; does nothing when it has ended already.
 * @returns what can be spent then; undefined for a hold of nothing.
 */
export const release = async (hold: Hold): Promise<Balances | undefined> => (await processLedger()).release(hold)

/**
 * Moves a part of a hold to what outlives its request: `take` gets the lease of which it takes `amount`, in the
 * transaction that keeps it, and `isTaken` tells of its result whether it did.
 * @throws RangeError when the hold has ended or is smaller.
 */
export const transfer = async <Result>(
  hold: Hold,
  amount: Usd,
  take: (leaseId: string) => Promise<Result>,
  isTaken: (result: Result) => boolean,
): Promise<Result> => (await processLedger()).transfer(hold, amount, take, isTaken)

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

/** Writes what was charged up to now, for who reads usage or entries. */
export const flushCharges = async (): Promise<void> => holder.__serviceLedger?.ledger.flush()

/** Writes everything and gives back all leases that are not in use. */
export const settled = async (): Promise<void> => holder.__serviceLedger?.ledger.settled()

export const ledgerProcessId = (): string => perProcess('ledger-process', uuid)

const TTL_MS = 2_000
const MAX_KNOWN = 10_000

const known = (): BoundedCache<string, Balances> =>
  perProcess('recent-balances', () => new BoundedCache(MAX_KNOWN, TTL_MS))

export function noteBalances(accountId: string, balances: Balances): void {
  known().set(accountId, balances, performance.now())
}

/** Returns what an account could spend at most two seconds ago: to show and to guard with, never to charge by. */
export async function recentBalances(accountId: string): Promise<Balances> {
  const leased = holder.__serviceLedger?.ledger.knownBalances(accountId)
  if (leased) return leased
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

const OTHER_PROCESS_MS = 350

/** Reads what became of a request, also of one that another process answers. */
export async function chargeOfRequest(accountId: string, requestId: string): Promise<ChargeOfRequest> {
  const { kind, query } = await getDb()
  const ledger = await processLedger()
  if (ledger.isOpen(accountId, requestId)) return { state: 'open' }
  await ledger.flush()
  const read = async () => {
    const [row] = await query<Row>(
      `select
        exists (select from hold where state = 'open' and account_id = $1 and request_id = $2) or exists (
          select from checkpoint c join lease l on l.id = c.lease_id where c.request_id = $2 and l.account_id = $1
        ) as open,
        (select coalesce(-sum(e.amount), 0)::text from txn t join entry e on e.txn_id = t.id
          where t.request_id = $2 and e.account_id = $1) as charged,
        u.model_id as model, u.prompt_tokens as input, u.completion_tokens as output
       from (select 1) one
       left join lateral (
         select * from usage_record where request_id = $2 and account_id = $1 order by at desc limit 1
       ) u on true`,
      [accountId, requestId],
    )
    if (!row) throw new Error('the database gave no answer for a charge')
    return row
  }
  let row = await read()
  if (kind === 'postgres' && !row.open && row.charged === '0') {
    // Another process marks its open requests, and writes their charges, a moment later.
    await sleep(OTHER_PROCESS_MS)
    row = await read()
  }
  if (row.open) return { state: 'open' }
  return {
    state: 'settled',
    charged: nano(BigInt(row.charged)),
    ...(row.model !== null && { modelId: row.model }),
    ...(row.input !== null && { inputTokens: row.input }),
    ...(row.output !== null && { outputTokens: row.output }),
  }
}

export type Ledger = ReturnType<typeof createLedger>

type LedgerOptions = {
  processId?: string
  /** Waits with every charge until it is written. */
  waits?: boolean
}

/** Creates a ledger on one database. A process has one; tests have many, as many processes would. */
export function createLedger(database: Database, { processId = uuid(), waits = false }: LedgerOptions = {}) {
  const leases = createLeases(database, processId, waits)
  let stopListening: (() => Promise<void>) | undefined

  /** Listens from the first lease on: a process that leases nothing has nothing that could become untrue. */
  function listen(): void {
    stopListening ??= database.listen('ledger', (message) => {
      const [what, accountId, asking] = message?.split(' ') ?? []
      if (accountId) known().delete(accountId)
      if (what === 'recall' && accountId && asking !== processId) leases.recalled(accountId)
      else leases.changed(accountId)
    })
  }

  function hold(request: HoldRequest): Promise<Hold> {
    if (request.amount > 0n) listen()
    return leases.hold(request)
  }

  async function capture(hold: Hold, charge: Charge): Promise<Captured> {
    if (charge.amount < 0n) throw new RangeError(`${charge.amount}: a charge cannot be negative`)
    if (hold.amount === 0n && charge.amount > 0n) {
      throw new RangeError(`${charge.amount}: a hold of nothing cannot be charged`)
    }
    if (hold.amount === 0n) return { charged: ZERO, currency: hold.currency }
    return leases.capture(hold, charge)
  }

  return {
    hold,
    extend: leases.extend,
    checkpoint: leases.checkpoint,
    capture,
    release: leases.release,
    transfer: leases.transfer,
    async credit(given: Credit): Promise<Balances> {
      await leases.written(given.accountId)
      const balances = await giveCredit(database, given)
      leases.changed(given.accountId)
      known().delete(given.accountId)
      return balances
    },
    async debit(request: Debit): Promise<Usd> {
      await leases.gather(request.accountId)
      return takeDebit(database, request)
    },
    async allow(accountId: string, day: string, amount: Usd): Promise<Allowance> {
      // What is left of the day before expires, also what is leased.
      await leases.gather(accountId)
      const allowance = await giveAllowance(database, accountId, day, amount)
      leases.changed(accountId)
      return allowance
    },
    balancesOf: leases.balancesOf,
    knownBalances: leases.knownBalances,
    isOpen: leases.isOpen,
    flush: leases.flush,
    settled: leases.settled,
    /** Stops as a process that dies does, at the end of the statement under way. */
    async abandon(): Promise<void> {
      await Promise.all([leases.stop(), stopListening?.()])
    },
  }
}
