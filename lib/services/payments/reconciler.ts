import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import { type Rail, rails } from '@/lib/services/chains/rails'
import { ChainUnavailable, chainOf } from '@/lib/services/payments/chain'
import { facilitator } from '@/lib/services/payments/facilitator'
import type { Chain, Finding, Transfer } from '@/lib/services/payments/payment-types'
import { isDeepEnough } from '@/lib/services/payments/settlement'
import { type Change, createStore, type PaymentRow, type PaymentStore } from '@/lib/services/payments/store'
import { noteCredit } from '@/lib/services/payments/top-up'

const TICK_MS = 2_000
const PAUSE_MS = 10_000

const holder = globalThis as typeof globalThis & {
  __serviceReconciler?: { stop: AbortController; ended: Promise<void> }
}

const tools = { store: createStore(getDb), database: getDb, rails, chainOf }

/** Reconciles open payments in the background until it is stopped. Several processes share the work. */
export function startReconciler(): void {
  if (holder.__serviceReconciler) return
  const stop = new AbortController()
  warmUp()
  holder.__serviceReconciler = { stop, ended: run(stop.signal) }
}

export async function stopReconciler(): Promise<void> {
  const running = holder.__serviceReconciler
  holder.__serviceReconciler = undefined
  running?.stop.abort()
  await running?.ended
}

export async function reconcileNow(
  from: Record<string, string> = {},
): Promise<{ resolutions: Resolution[]; scans: RailScan[] }> {
  const scans = await scanRails(tools, { isForced: true, from })
  return { resolutions: await reconcilePayments(tools, { isEarly: true }), scans }
}

function warmUp(): void {
  if (rails().length === 0) return
  void facilitator()
    .then((ready) => ready.feePayer())
    .catch((error: unknown) => log().warn({ err: error }, 'the facilitator is not ready'))
}

async function run(signal: AbortSignal): Promise<void> {
  let isFirst = true
  while (!signal.aborted) {
    let waitMs = TICK_MS
    try {
      if (rails().length > 0) {
        await reconcilePayments(tools, { isEarly: isFirst })
        await scanRails(tools, { isForced: isFirst })
        isFirst = false
      }
    } catch (error) {
      waitMs = PAUSE_MS
      log().warn({ err: error }, 'open payments could not be processed')
    }
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

type ReconcileTools = {
  store: PaymentStore
  rails: () => Rail[]
  chainOf: (rail: Rail) => Chain
  reorg?: { blocks: bigint; misses: number }
}

export type Outcome = 'credited' | 'final' | 'failed' | 'reversed' | 'missing' | 'open' | 'unreachable'
type Resolution = { row: PaymentRow; outcome: Outcome }

const BATCH = 20
const MAX_BATCHES = 500
const REORG = { blocks: 20n, misses: 5 }
const MAX_CHECK_SECONDS = 60
const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3_600
const UNUSUAL_AGE_SECONDS = 600

/**
 * Asks the chain about open payments: credits what was paid, fails what can never be, reverses what the chain took
 * back. `isEarly` also takes those whose time has not come.
 */
export async function reconcilePayments(tools: ReconcileTools, { isEarly = false } = {}): Promise<Resolution[]> {
  const resolutions: Resolution[] = []
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const seen = resolutions.map(({ row }) => row.id)
    const rows = await tools.store.due(BATCH, isEarly, seen)
    if (rows.length === 0) break
    resolutions.push(
      ...(await Promise.all(rows.map((row) => resolve(tools, row).catch((error) => skipPayment(row, error))))),
    )
  }
  return resolutions
}

/** One payment that cannot be worked on must not hold up the others. While the database is away none can. */
function skipPayment(row: PaymentRow, error: unknown): Resolution {
  if (error instanceof ApiError) throw error
  log().error({ payment: row.id, err: error }, 'an open payment could not be processed')
  return { row, outcome: 'open' }
}

async function resolve(tools: ReconcileTools, row: PaymentRow): Promise<Resolution> {
  const rail = tools.rails().find(({ network }) => network === row.network)
  const open = async (outcome: Outcome, change: Change = {}): Promise<Resolution> => {
    await tools.store.note(row, { ...change, nextCheckSeconds: pause(row) })
    return { row, outcome }
  }
  if (!rail) return open('unreachable')
  const chain = tools.chainOf(row.payTo === undefined ? rail : { ...rail, payTo: row.payTo })
  const isCredited = row.state === 'credited'
  let found: Finding
  try {
    found = await chain.look(row.wanted, { isTerminal: true })
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    log().warn(
      { payment: row.id, network: row.network, err: error.cause },
      'a chain is unreachable for a payment lookup',
    )
    return open('unreachable')
  }

  if (found.status === 'paid') {
    const { transaction, block, isFinal } = found
    if (isCredited) return open(isFinal ? 'final' : 'open', { transaction, block, isFinal, misses: 0 })
    // What was there once and gone is there when the chain is surer of it.
    if (row.state === 'reversed' && !found.isSafe) return open('open')
    if (!isDeepEnough(found)) return open('open', { state: 'confirming', transaction, block })
    const credited = await tools.store.credit(row.id, found)
    if (credited.isNew) noteCredit(credited.row)
    return { row: credited.row, outcome: 'credited' }
  }
  if (isCredited) return missing(tools, row, found.head)
  if (row.state === 'reversed') return open('open', { isFinal: isForgotten(row, found) })
  if (found.status === 'dead') return open('failed', { state: 'failed', reason: found.reason })
  if (row.ageSeconds > UNUSUAL_AGE_SECONDS && row.attempts % 10 === 0) {
    log().error({ payment: row.id, state: row.state, seconds: Math.round(row.ageSeconds) }, 'a payment is still open')
  }
  return open('open')
}

const isForgotten = ({ wanted, ageSeconds }: PaymentRow, { status }: Finding): boolean =>
  status === 'dead' || (wanted.deadAfter === undefined && ageSeconds > DAY_SECONDS)

/** A credited payment is not on its chain: a reorganisation, unless it is there again at the next look. */
async function missing(tools: ReconcileTools, row: PaymentRow, head: bigint): Promise<Resolution> {
  const { blocks, misses } = tools.reorg ?? REORG
  const isPassed = head >= (row.block ?? 0n) + blocks
  if (!isPassed || row.misses + 1 < misses) {
    await tools.store.note(row, { misses: isPassed ? row.misses + 1 : 0, nextCheckSeconds: pause(row) })
    return { row, outcome: 'missing' }
  }
  const reversed = await tools.store.reverse(row, 'The chain took the payment back')
  if (!reversed) return { row, outcome: 'open' }
  log().error(
    { payment: row.id, payer: row.payer, transaction: row.transaction, ...reversed },
    'a payment was reversed',
  )
  return { row, outcome: 'reversed' }
}

function pause({ attempts, ageSeconds }: PaymentRow): number {
  if (ageSeconds > DAY_SECONDS) return HOUR_SECONDS
  return Math.min(2 ** Math.min(attempts, 10), MAX_CHECK_SECONDS)
}

type ScanTools = {
  store: PaymentStore
  database: () => Promise<Database>
  rails: () => Rail[]
  chainOf: (rail: Rail) => Chain
}

type RailScan = {
  network: string
  transfers: number
  credited: PaymentRow[]
  isDone: boolean
  isReachable: boolean
}

const SCAN_EVERY_SECONDS = 240
const MAX_PARTS = 100
/** The largest amount in base units that a balance in nano-dollars can take: far above all USDC there is. */
const MAX_UNITS = 9_000_000_000_000_000n

/**
 * Scans for transfers to us that no payment knows: paid without asking, sent in by others, or a lost row. Each is
 * credited to its payer once, under the key of its payment.
 * @param from cursors to go back to, by network; never past what was not read yet.
 */
export async function scanRails(
  tools: ScanTools,
  { isForced = false, from = {} }: { isForced?: boolean; from?: Record<string, string> } = {},
): Promise<RailScan[]> {
  const scans: RailScan[] = []
  for (const rail of tools.rails()) {
    if (!(isForced || (await isTurn(tools, rail)))) continue
    scans.push(await scanRail(tools, rail, from[rail.network]))
  }
  return scans
}

async function scanRail(tools: ScanTools, rail: Rail, from?: string): Promise<RailScan> {
  const scan: RailScan = { network: rail.network, transfers: 0, credited: [], isDone: false, isReachable: true }
  const read = await readCursor(tools, rail)
  let cursor = from !== undefined && (read === undefined || BigInt(from) < BigInt(read)) ? from : read
  try {
    for (let part = 0; part < MAX_PARTS && !scan.isDone; part++) {
      const scanned = await tools.chainOf(rail).scan(cursor)
      for (const transfer of scanned.transfers) {
        const credited = await creditTransfer(tools, rail, transfer).catch((error: unknown) =>
          skipTransfer(transfer, error),
        )
        if (credited) scan.credited.push(credited)
      }
      scan.transfers += scanned.transfers.length
      cursor = scanned.cursor
      await writeCursor(tools, rail, cursor)
      scan.isDone = scanned.isDone
    }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    log().warn({ network: rail.network, err: error.cause }, 'scanning a chain for payments failed')
    scan.isReachable = false
  }
  return scan
}

async function creditTransfer({ store }: ScanTools, rail: Rail, transfer: Transfer): Promise<PaymentRow | undefined> {
  if (transfer.amount > MAX_UNITS) return undefined
  const row = await store.adopt(transfer, rail)
  if (row.state === 'credited') return undefined
  const { row: credited, isNew } = await store.credit(row.id, { status: 'paid', isSafe: true, ...transfer })
  if (!isNew) return undefined
  log().warn({ payment: credited.id, before: row.state }, 'found a payment on its chain that was not credited')
  noteCredit(credited)
  return credited
}

/** One transfer that cannot be booked must not hide those after it. While the database is away none can. */
function skipTransfer(transfer: Transfer, error: unknown): undefined {
  if (error instanceof ApiError) throw error
  log().error({ key: transfer.key, payer: transfer.payer, err: error }, 'a transfer to us cannot be credited')
  return undefined
}

const cursorKey = ({ network, payTo }: Rail): string => `payments-read:${network}:${payTo}`

async function readCursor({ database }: ScanTools, rail: Rail): Promise<string | undefined> {
  const { query } = await database()
  const [row] = await query<{ value: string }>('select value from installation where key = $1', [cursorKey(rail)])
  return row?.value
}

async function writeCursor({ database }: ScanTools, rail: Rail, cursor: string): Promise<void> {
  const { query } = await database()
  await query(
    `insert into installation (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value, at = now()`,
    [cursorKey(rail), cursor],
  )
}

async function isTurn({ database }: ScanTools, rail: Rail): Promise<boolean> {
  const { query } = await database()
  const rows = await query(
    `insert into installation as i (key, value) values ($1, '')
     on conflict (key) do update set at = now() where i.at < now() - make_interval(secs => $2) returning key`,
    [`payments-scan:${rail.network}:${rail.payTo}`, SCAN_EVERY_SECONDS],
  )
  return rows.length > 0
}
