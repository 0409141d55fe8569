import 'server-only'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { log } from '@/lib/kernel/log'
import type {
  Balances,
  CallCounts,
  Captured,
  Charge,
  ChargeLine,
  Currency,
  Hold,
  HoldRequest,
  SharedHold,
} from '@/lib/services/ledger/hold'

const LIFE_MS = 1_000
const LINGER_MS = 5

export type HoldStore = {
  hold: (request: HoldRequest) => Promise<Hold>
  place: (request: HoldRequest) => Promise<Hold>
  /** @returns false when the hold has ended, or may not change any more. */
  shrink: (hold: Hold, by: Usd) => Promise<boolean>
  checkpoint: (hold: Hold, charge: Charge) => void
  capture: (hold: Hold, charge: Charge) => Promise<Captured>
  release: (hold: Hold, reason: string) => Promise<Balances | undefined>
}

export type HoldPool = {
  readonly keyId?: string
  readonly currency: Currency
  readonly remaining: Usd
  fits: (request: HoldRequest, now: number) => boolean
  take: (request: HoldRequest) => SharedHold
  returnUnused: () => Promise<boolean>
  closeIfEmpty: () => void
}

export type PoolOptions = {
  hold: Hold
  before: Balances
  store: HoldStore
  onLeave: () => void
  onClose: (closing: Promise<void>) => void
  onReturned: () => void
}

export function createHoldPool({ hold, before, store, onLeave, onClose, onReturned }: PoolOptions): HoldPool {
  const { currency } = hold
  const closesAt = performance.now() + LIFE_MS
  const total = createTotal()
  let remaining = hold.amount
  let reserved = ZERO
  let calls = 0
  let closing: Promise<void> | undefined
  let giving: Promise<boolean> | undefined
  let lingering: NodeJS.Timeout | undefined

  const balances = () => less(before, currency, nano(reserved + total.amount))

  function leave(amount: Usd, charged: Usd): void {
    reserved = nano(reserved - amount)
    remaining = nano(remaining + amount - charged)
    calls--
    if (calls === 0) lingering ??= setTimeout(closeIfStillEmpty, LINGER_MS)
    onLeave()
  }

  async function end(amount: Usd, charge: Charge | undefined): Promise<Captured> {
    let charged = ZERO
    try {
      const fitting = charge && within(charge, amount)
      if (fitting && fitting.amount > 0n) {
        charged = fitting.amount
        total.add(fitting)
        store.checkpoint(hold, total.charge())
      }
    } finally {
      leave(amount, charged)
    }
    return { charged, currency, balancesAfter: balances() }
  }

  function closeIfStillEmpty(): void {
    lingering = undefined
    closeIfEmpty()
  }

  function closeIfEmpty(): void {
    if (calls > 0 || closing) return
    clearTimeout(lingering)
    closing = close().catch((error: unknown) => {
      log().error({ err: error, hold: hold.id }, 'a shared hold could not be ended; the sweep will end it')
    })
    onClose(closing)
  }

  async function close(): Promise<void> {
    if (total.amount > 0n) await store.capture(hold, total.charge())
    else await store.release(hold, 'nothing delivered')
    onReturned()
  }

  async function addRemaining(): Promise<boolean> {
    const by = remaining
    if (by === 0n) return false
    remaining = ZERO
    const isGiven = await store.shrink(hold, by).catch(() => false)
    if (isGiven) onReturned()
    else remaining = nano(remaining + by)
    return isGiven
  }

  return {
    keyId: hold.keyId,
    currency,
    get remaining() {
      return remaining
    },
    fits(request, now) {
      const floor = request.minimumBalance
      return (
        remaining >= request.amount && !closing && now < closesAt && (floor === undefined || sumOf(balances()) >= floor)
      )
    },
    take(request) {
      const { requestId, amount } = request
      const balancesBefore = balances()
      remaining = nano(remaining - amount)
      reserved = nano(reserved + amount)
      calls++
      let ended: Promise<Captured> | undefined
      return {
        hold: { ...hold, requestId, amount, balancesBefore },
        end(charge) {
          ended ??= end(amount, charge)
          return ended
        },
      }
    },
    async returnUnused() {
      closeIfEmpty()
      if (closing) {
        await closing
        return true
      }
      giving ??= addRemaining().finally(() => {
        giving = undefined
      })
      return giving
    },
    closeIfEmpty,
  }
}

export function less(balances: Balances, currency: Currency, amount: Usd): Balances {
  return { ...balances, [currency]: nano(balances[currency] - amount) }
}

export const sumOf = ({ DIEM, BUNDLED_CREDITS, USD }: Balances): Usd => nano(DIEM + BUNDLED_CREDITS + USD)

type Total = {
  readonly amount: Usd
  add: (charge: Charge) => void
  /** Its lines are those that `add` goes on with: copy them at once. */
  charge: () => Charge
}

/** Adds charges up exactly: lines of the same SKU at the same price become one. */
export function createTotal(): Total {
  const lines: ChargeLine[] = []
  let facts: Omit<Charge, 'amount' | 'lines'> | undefined
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
    get amount() {
      return amount
    },
    add({ amount: added, lines: addedLines, ...more }) {
      amount = nano(amount + added)
      for (const line of addedLines) addLine(line)
      facts = facts === undefined ? more : joined(facts, more)
    },
    charge: () => ({ ...facts, amount, lines }),
  }
}

export function within(charge: Charge, limit: Usd): Charge {
  if (charge.amount < 0n) throw new RangeError(`${charge.amount}: a charge cannot be negative`)
  if (charge.amount <= limit) return charge
  let left = limit
  const lines = charge.lines.map((line) => {
    const amount = line.amount < left ? line.amount : left
    left = nano(left - amount)
    return { ...line, amount }
  })
  return { ...charge, amount: limit, lines }
}

type Facts = Omit<Charge, 'amount' | 'lines'>

function joined(a: Facts, b: Facts): Facts {
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

export async function endAlone(store: HoldStore, held: Hold, charge: Charge | undefined): Promise<Captured> {
  const fitting = charge && within(charge, held.amount)
  if (fitting && fitting.amount > 0n) return store.capture(held, fitting)
  const balancesAfter = await store.release(held, charge ? 'free' : 'nothing delivered')
  return { charged: ZERO, currency: held.currency, balancesAfter }
}
