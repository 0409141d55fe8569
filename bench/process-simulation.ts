import { MAX_BATCH as MAX_ASKED, MAX_WAITING } from '@/lib/kernel/batcher'
import { MAX_UNWRITTEN } from '@/lib/services/ledger/leases'
import { MAX_BATCH, WRITE_INTERVAL_MS } from '@/lib/services/ledger/outbox'

/** Processor time of a statement on the database's machine, and what it waits for besides: a disk. Microseconds. */
export type StatementCost = { baseUs: number; rowUs: number; waitUs: number }
export type Costs = { lease: StatementCost; settle: StatementCost }

export type Offer = {
  processes: number
  /** Requests that arrive at each process in a second. */
  perSecondOfEach: number
  accounts: number
  databaseCores: number
  /** How long a process needs no answer of the database for an account; 0: every request asks. */
  leasedMs: number
}

export type Outcome = {
  perSecond: number
  /** Share of the database's processor time. */
  busy: number
  statementsPerSecond: number
  /** Share of the requests that were refused since too many waited, or too many charges were not written. */
  refused: number
  /** How long the slowest hundredth of the requests that asked waited for the database. */
  leaseWaitMs: number
  /** How far the books were behind at the end. */
  behindMs: number
}

const TICK_MS = 1
const WARM_UP_MS = 3_000
const MEASURED_MS = 10_000

type Process = {
  freshUntil: Float64Array
  /** Since when each request waits for the next statement. */
  asking: number[]
  askedUntil: number
  asked: { accounts: number[]; since: number[] }
  accounts: number[]
  unwritten: number
  writingUntil: number
  writing: number
  writeAt: number
  due: number
}

/**
 * Simulates processes that share one database: each asks for credit in one statement at a time and writes charges in one
 * statement at a time, as the product does; the database works on as many statements as it has cores, in their order.
 */
export function simulate({ lease, settle }: Costs, offer: Offer): Outcome {
  const { processes: count, perSecondOfEach, accounts, databaseCores, leasedMs } = offer
  const random = randomNumbers()
  const coreFreeAt = new Float64Array(databaseCores)
  const seen = { busyMs: 0, statements: 0, written: 0, refused: 0, arrived: 0, waits: [] as number[] }
  let isMeasured = false

  /** @returns when its answer is there */
  function run({ baseUs, rowUs, waitUs }: StatementCost, rows: number, now: number): number {
    const workMs = (baseUs + rowUs * rows) / 1_000
    const core = coreFreeAt.indexOf(Math.min(...coreFreeAt))
    const end = Math.max(now, coreFreeAt[core]!) + workMs
    coreFreeAt[core] = end
    if (isMeasured) {
      seen.busyMs += workMs
      seen.statements++
    }
    return end + waitUs / 1_000
  }

  function arrive(process: Process, now: number): void {
    if (isMeasured) seen.arrived++
    if (process.unwritten >= MAX_UNWRITTEN || process.asking.length >= MAX_WAITING) {
      if (isMeasured) seen.refused++
      return
    }
    const account = Math.floor(random() * accounts)
    if (process.freshUntil[account]! > now) {
      process.unwritten++
      return
    }
    process.accounts.push(account)
    process.asking.push(now)
  }

  function ask(process: Process, now: number): void {
    if (process.askedUntil > now) return
    for (const account of process.asked.accounts) process.freshUntil[account] = process.askedUntil + leasedMs
    process.unwritten += process.asked.accounts.length
    if (isMeasured) for (const since of process.asked.since) seen.waits.push(process.askedUntil - since)
    const [wanted, since] = [process.accounts.splice(0, MAX_ASKED), process.asking.splice(0, MAX_ASKED)]
    process.asked = { accounts: wanted, since }
    if (wanted.length > 0) process.askedUntil = run(lease, wanted.length, now)
  }

  function write(process: Process, now: number): void {
    if (process.writingUntil > now) return
    process.unwritten -= process.writing
    if (isMeasured) seen.written += process.writing
    process.writing = 0
    if (process.unwritten === 0 || (now < process.writeAt && process.unwritten < MAX_BATCH)) return
    process.writing = Math.min(process.unwritten, MAX_BATCH)
    process.writingUntil = run(settle, process.writing, now)
    process.writeAt = now + WRITE_INTERVAL_MS
  }

  const all = Array.from({ length: count }, (_, at) => newProcess(accounts, (at * WRITE_INTERVAL_MS) / count))
  for (let now = 0; now < WARM_UP_MS + MEASURED_MS; now += TICK_MS) {
    isMeasured = now >= WARM_UP_MS
    for (const process of all) {
      for (process.due += (perSecondOfEach * TICK_MS) / 1_000; process.due >= 1; process.due--) arrive(process, now)
      ask(process, now)
      write(process, now)
    }
  }
  const behind = Math.max(...all.map(({ unwritten }) => unwritten))
  const waits = seen.waits.toSorted((a, b) => a - b)
  return {
    perSecond: (seen.written * 1_000) / MEASURED_MS,
    busy: seen.busyMs / MEASURED_MS / databaseCores,
    statementsPerSecond: (seen.statements * 1_000) / MEASURED_MS,
    refused: seen.arrived === 0 ? 0 : seen.refused / seen.arrived,
    leaseWaitMs: waits[Math.floor(waits.length * 0.99)] ?? 0,
    behindMs: (behind / perSecondOfEach) * 1_000,
  }
}

const newProcess = (accounts: number, writeAt: number): Process => ({
  freshUntil: new Float64Array(accounts).fill(Number.NEGATIVE_INFINITY),
  asking: [],
  askedUntil: 0,
  asked: { accounts: [], since: [] },
  accounts: [],
  unwritten: 0,
  writingUntil: 0,
  writing: 0,
  writeAt,
  due: 0,
})

/** The same numbers in every run: Park and Miller's generator. */
function randomNumbers(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
