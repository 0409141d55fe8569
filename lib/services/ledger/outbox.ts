import 'server-only'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { isPassing } from '@/lib/db/outage'
import { log, logSparingly } from '@/lib/kernel/log'
import type { CallCounts, Charge, ChargeLine, Currency } from '@/lib/services/ledger/ledger-types'
import { type ChargeRow, type MarkRow, type Settlement, settleLeases, toUsage } from '@/lib/services/ledger/statements'

/** What a process that dies may lose: the charges of so long, or so many. */
export const WRITE_INTERVAL_MS = 50
export const MAX_BATCH = 256
const MAX_RETRY_MS = 2_000
const BEAT_INTERVAL_MS = 1_000
/** What a crash may leave uncharged of a stream that goes on. */
const MARK_INTERVAL_MS = 250
/** A sweep ends the leases of a process that was not seen for 30 s; one that was not for so long trusts none of its own. */
const TRUST_MS = 20_000

type ChargeOrder = {
  id: string
  lease: string
  account: string
  key?: string
  currency: Currency
  charged: Usd
  short: bigint
  request: string
  charge: Charge
  /** Small charges of one lease become one. */
  isMerged?: boolean
}

type Source = {
  openRequests: () => number
  hasMarks: () => boolean
  /** What open requests have delivered since they were last asked. */
  takeMarks: (max: number) => MarkRow[]
  /** Perhaps the marks were not written. */
  markAgain: (ids: string[]) => void
  /** Called once a second, before the write: time to give back what nobody uses. */
  beat: () => void
  recall: (leases: string[]) => void
  /** The process was thought to be dead: its leases are gone. */
  forget: () => void
  isIdle: () => boolean
}

type Ending = { name: string; leases: string[] }

/** Writes behind the answers what a process has spent of its leases: one statement for all of 50 ms. */
export function createOutbox(database: Database, processId: string, source: Source) {
  const merged = new Map<string, { row: ChargeRow; total: Total }>()
  let charges: ChargeRow[] = []
  const returned = new Map<string, bigint>()
  let ended: Ending[] = []
  let endingNow: Ending[] = []
  let unmarked: string[] = []
  let timer: NodeJS.Timeout | undefined
  let inFlight: ChargeRow[] = []
  let writing: Promise<void> | undefined
  let seenAt = Number.NEGATIVE_INFINITY
  let beatAt = Number.NEGATIVE_INFINITY
  let markedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let retryAt = 0
  let isStopped = false

  const hasWork = () => charges.length + returned.size + ended.length + unmarked.length > 0

  function add({ charged, charge, isMerged, ...facts }: ChargeOrder): void {
    const at = performance.now()
    const open = isMerged ? merged.get(facts.lease) : undefined
    if (open) {
      open.total.add(charge)
      open.row.charge += charged
      open.row.short += facts.short
      open.row.request = `shared-${open.row.id}`
    } else if (isMerged) {
      const total = createTotal()
      total.add(charge)
      const row = { ...facts, at, id: uuid(), charge: charged, usage: () => toUsage(total.charge()) }
      merged.set(facts.lease, { row, total })
      charges.push(row)
    } else {
      charges.push({ ...facts, at, charge: charged, usage: () => toUsage(charge) })
    }
    start()
    if (charges.length >= MAX_BATCH && !writing && failures === 0) void writeOnce().catch(noteFailure)
  }

  function take(isBeat: boolean): Settlement {
    merged.clear()
    const batch = {
      charges: charges.splice(0, MAX_BATCH),
      returned: [...returned].slice(0, MAX_BATCH).map(([lease, amount]) => ({ lease, amount })),
      ended: [] as string[],
      unmarked: unmarked.splice(0, MAX_BATCH),
      isBeat,
    }
    for (const { lease } of batch.returned) returned.delete(lease)
    // What a lease still has goes back whole, so its charges come first.
    if (charges.length === 0) {
      endingNow = ended.splice(0, MAX_BATCH)
      batch.ended = endingNow.flatMap(({ leases }) => leases)
    }
    markedAt = performance.now()
    return { ...batch, marks: source.takeMarks(MAX_BATCH) }
  }

  function putBack(batch: Settlement): void {
    charges = [...batch.charges, ...charges]
    ended = [...endingNow, ...ended]
    endingNow = []
    unmarked = [...batch.unmarked, ...unmarked]
    // A part is not given back twice: whether it was is not known, and the end of the lease gives back what is left.
    source.markAgain(batch.marks.map(({ id }) => id))
  }

  async function write(): Promise<void> {
    const startedAt = performance.now()
    const isBeat = startedAt - beatAt >= BEAT_INTERVAL_MS
    if (isBeat) source.beat()
    const batch = take(isBeat)
    inFlight = batch.charges
    try {
      await settle(batch, startedAt)
      failures = 0
      inFlight = []
      endingNow = []
    } catch (error) {
      inFlight = []
      putBack(batch)
      if (!isPassing(error) && batch.charges.length > 0) await writeAlone(batch.charges.length)
      else {
        failures++
        retryAt = performance.now() + Math.min(WRITE_INTERVAL_MS * 2 ** failures, MAX_RETRY_MS)
        throw error
      }
    }
  }

  async function settle(batch: Settlement, startedAt: number): Promise<void> {
    const { isKnown, recalled } = await settleLeases(database, processId, batch)
    if (!batch.isBeat) return
    beatAt = startedAt
    if (isKnown) seenAt = startedAt
    else source.forget()
    if (recalled.length > 0) source.recall(recalled)
  }

  /** One row that the database does not take must not keep the others. */
  async function writeAlone(count: number): Promise<void> {
    const alone = charges.slice(0, count)
    charges = charges.slice(count)
    const nothing = { returned: [], ended: [], marks: [], unmarked: [], isBeat: false }
    for (const [index, charge] of alone.entries()) {
      try {
        await settleLeases(database, processId, { ...nothing, charges: [charge] })
      } catch (error) {
        if (isPassing(error)) {
          charges = [...alone.slice(index), ...charges]
          throw error
        }
        const { id, account, request } = charge
        log().error(
          { err: error, charge: id, account, request, amount: String(charge.charge) },
          'a charge was not written',
        )
      }
    }
  }

  function writeOnce(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  /** Writes what is there now. @throws when it could not; it stays, and is tried again. */
  async function flush(): Promise<void> {
    // What is under way may have left before what is to be written.
    await writing?.catch(() => {})
    const most = Math.max(charges.length, returned.size, ended.length, unmarked.length, source.openRequests())
    for (let left = most + 1; left > 0 && (hasWork() || source.hasMarks()); left -= MAX_BATCH) await writeOnce()
  }

  function tick(): void {
    if (writing) return
    const now = performance.now()
    if (now < retryAt) return
    const isMarkDue = now - markedAt >= MARK_INTERVAL_MS && source.hasMarks()
    if (!hasWork() && source.isIdle()) stop()
    else if (hasWork() || isMarkDue || now - beatAt >= BEAT_INTERVAL_MS) void writeOnce().catch(noteFailure)
  }

  function start(): void {
    if (!isStopped) timer ??= setInterval(tick, WRITE_INTERVAL_MS).unref()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    charge: add,
    giveBack(lease: string, amount: bigint) {
      returned.set(lease, (returned.get(lease) ?? 0n) + amount)
      start()
    },
    end(name: string, leases: string[]) {
      ended.push({ name, leases })
      start()
    },
    isEnding: (name: string) => ended.some((one) => one.name === name) || endingNow.some((one) => one.name === name),
    unmark(id: string) {
      unmarked.push(id)
    },
    /** What an account was charged and is perhaps not written yet. */
    pendingOf(accountId: string) {
      let sum = 0n
      for (const { account, charge } of inFlight) if (account === accountId) sum += charge
      for (const { account, charge } of charges) if (account === accountId) sum += charge
      return sum
    },
    get size() {
      return charges.length
    },
    flush,
    /** Whether this process has been heard of lately. */
    isTrusted: (now: number) => now - seenAt < TRUST_MS,
    noteSeen(at: number) {
      seenAt = at
    },
    start,
    async stop() {
      stop()
      isStopped = true
      await writing?.catch(() => {})
    },
  }
}

function noteFailure(error: unknown): void {
  logSparingly('ledger write', { err: error }, 'charges could not be written; they are kept and tried again')
}

type ChargeFacts = Omit<Charge, 'amount' | 'lines'>

type Total = ReturnType<typeof createTotal>

/** Adds charges up exactly: lines of the same SKU at the same price become one. */
export function createTotal() {
  const lines: ChargeLine[] = []
  let facts: ChargeFacts | undefined
  let amount = ZERO

  function addLine(added: ChargeLine): void {
    const line = lines.find(({ sku, price }) => sku === added.sku && price === added.price)
    if (!line) {
      lines.push({ ...added })
      return
    }
    line.units += added.units
    line.amount = nano(line.amount + added.amount)
    if (added.calls) line.calls = counted(line.calls, added.calls)
  }

  return {
    add({ amount: added, lines: addedLines, ...more }: Charge): void {
      amount = nano(amount + added)
      for (const line of addedLines) addLine(line)
      facts = facts === undefined ? more : joined(facts, more)
    },
    /** Its lines are those that `add` goes on with: copy them at once. */
    charge: (): Charge => ({ ...facts, amount, lines }),
  }
}

function joined(a: ChargeFacts, b: ChargeFacts): ChargeFacts {
  return {
    modelId: a.modelId === b.modelId ? a.modelId : undefined,
    modelType: a.modelType === b.modelType ? a.modelType : undefined,
    promptTokens: together(a.promptTokens, b.promptTokens),
    completionTokens: together(a.completionTokens, b.completionTokens),
    durationMs: longer(a.durationMs, b.durationMs),
    isEstimated: a.isEstimated || b.isEstimated,
  }
}

function counted(a: CallCounts = {}, b: CallCounts): CallCounts {
  const sum: Record<string, number> = { ...a }
  for (const [method, count] of Object.entries(b)) sum[method] = (sum[method] ?? 0) + count
  return sum
}

const together = (a: number | undefined, b: number | undefined) =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
const longer = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
