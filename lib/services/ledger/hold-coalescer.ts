import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Balances, Captured, Currency, Hold, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { createHoldPool, endAlone, type HoldPool, type HoldStore, less, sumOf } from '@/lib/services/ledger/hold-pool'

type SharedHolds = {
  share: (request: HoldRequest) => Promise<SharedHold>
  /** Begins to watch before credit is asked for, since a refusal may be older than what was returned meanwhile. */
  watch: (accountId: string) => Watch
  settled: () => Promise<void>
}

type Watch = {
  /**
   * Returns unused room to the account after a refusal; with a key, only what is under its limits.
   * @returns whether anything was returned since the watch began or since the last time: asking again may help then.
   */
  returnUnused: (keyId?: string) => Promise<boolean>
}

type AccountCoalescers = { coalescers: Map<string | undefined, HoldCoalescer>; holds: AccountHolds }

const MAX_SETTLING_ROUNDS = 100

/** Creates the shared holds of one ledger. See docs/adr/0015. */
export function createSharedHolds(
  store: HoldStore & { balancesOf: (accountId: string) => Promise<Balances> },
): SharedHolds {
  const accounts = new Map<string, AccountCoalescers>()

  function share(request: HoldRequest): Promise<SharedHold> {
    const { accountId, keyId, amount, minimum } = request
    if (amount <= 0n || minimum !== undefined) return shareNothing(request)
    let account = accounts.get(accountId)
    if (!account) {
      account = {
        coalescers: new Map(),
        holds: { pools: new Set(), closing: new Set(), placing: new Set(), returnCount: 0 },
      }
      accounts.set(accountId, account)
    }
    let coalescer = account.coalescers.get(keyId)
    if (!coalescer) {
      coalescer = createHoldCoalescer(store, account.holds, (idle) => forget(accountId, keyId, idle))
      account.coalescers.set(keyId, coalescer)
    }
    return coalescer.share(request)
  }

  async function shareNothing(request: HoldRequest): Promise<SharedHold> {
    const hold = await store.hold(request)
    const balancesBefore = hold.balancesBefore ?? (await store.balancesOf(request.accountId))
    let ended: Promise<Captured> | undefined
    return {
      hold: { ...hold, balancesBefore },
      end(charge) {
        ended ??= endAlone(store, hold, charge)
        return ended
      },
    }
  }

  function forget(accountId: string, keyId: string | undefined, idle: HoldCoalescer): void {
    const account = accounts.get(accountId)
    if (!account) return
    if (account.coalescers.get(keyId) === idle) account.coalescers.delete(keyId)
    if (account.coalescers.size === 0 && account.holds.closing.size === 0) accounts.delete(accountId)
  }

  function watch(accountId: string): Watch {
    const holds = accounts.get(accountId)?.holds
    let seen = holds?.returnCount
    return {
      async returnUnused(keyId) {
        const isGiven = await returnUnused(accountId, keyId)
        // A refusal may be older than what was given back while it was on its way, which is then no longer here to be given.
        const isNew = holds?.returnCount !== seen
        seen = holds?.returnCount
        return isGiven || isNew
      },
    }
  }

  async function returnUnused(accountId: string, keyId?: string): Promise<boolean> {
    const account = accounts.get(accountId)
    if (!account) return false
    const { coalescers, holds } = account
    for (const [key, coalescer] of coalescers) if (keyId === undefined || key === keyId) coalescer.backOff()
    // What is being placed may turn out to be more room; it waits for nobody.
    await Promise.allSettled(holds.placing)
    const given = await Promise.all([
      ...[...holds.closing].map((closing) => closing.then(() => true)),
      ...[...holds.pools].map((pool) => (keyId === undefined || pool.keyId === keyId) && pool.returnUnused()),
    ])
    return given.includes(true)
  }

  async function settled(): Promise<void> {
    for (let round = 0; round < MAX_SETTLING_ROUNDS; round++) {
      const all = [...accounts.values()]
      await Promise.all(
        all.flatMap(({ coalescers }) => [...coalescers.values()].map((coalescer) => coalescer.settled())),
      )
      for (const { holds } of all) for (const pool of holds.pools) pool.closeIfEmpty()
      const closing = all.flatMap(({ holds }) => [...holds.closing])
      if (closing.length === 0) return
      await Promise.all(closing)
    }
  }

  return { share, watch, settled }
}

const MAX_GROUP = 1_000
const MAX_WAITING = 10_000
const MAX_HEADROOM_CALLS = 10_000
const HEADROOM_DIVISOR = 100n
const BACK_OFF_MS = 1_000
const SPEND_ORDER: Currency[] = ['DIEM', 'BUNDLED_CREDITS', 'USD']

type Waiter = { request: HoldRequest; resolve: (held: SharedHold) => void; reject: (error: unknown) => void }

type AccountHolds = {
  pools: Set<HoldPool>
  closing: Set<Promise<void>>
  placing: Set<Promise<unknown>>
  returnCount: number
}

type HoldCoalescer = {
  share: (request: HoldRequest) => Promise<SharedHold>
  backOff: () => void
  settled: () => Promise<void>
}

/** Shares holds among the calls of one account and key. `onIdle` runs whenever no call is left. */
function createHoldCoalescer(
  store: HoldStore,
  holds: AccountHolds,
  onIdle: (coalescer: HoldCoalescer) => void,
): HoldCoalescer {
  const demand = createDemand()
  let waiting: Waiter[] = []
  let draining: Promise<void> | undefined
  let running = 0
  let pool: HoldPool | undefined
  let openPoolCount = 0
  let last: { currency: Currency; balances: Balances } | undefined
  let aloneUntil = 0
  let leanUntil = 0

  function share(request: HoldRequest): Promise<SharedHold> {
    const now = performance.now()
    demand.add(request.amount, now)
    if (waiting.length === 0 && pool?.fits(request, now)) return Promise.resolve(join(pool, request))
    if (now < aloneUntil) return holdAlone(request)
    if (waiting.length >= MAX_WAITING) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      draining ??= new Promise<void>((turn) => setImmediate(turn)).then(drain)
    })
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      admitWaiting()
      const group = waiting.slice(0, MAX_GROUP)
      waiting = waiting.slice(MAX_GROUP)
      const isShared = (group.length > 1 || running > 0) && performance.now() >= aloneUntil
      if (!(isShared && (await holdTogether(group)))) await eachAlone(group)
    }
    draining = undefined
    leaveIfIdle()
  }

  function admitWaiting(): void {
    const now = performance.now()
    waiting = waiting.filter(({ request, resolve }) => {
      if (!pool?.fits(request, now)) return true
      resolve(join(pool, request))
      return false
    })
  }

  async function holdTogether(group: Waiter[]): Promise<boolean> {
    const opening = openPool(group)
    holds.placing.add(opening)
    try {
      const opened = await opening
      if (!opened) return false
      for (const { request, resolve } of group) resolve(join(opened, request))
      if (!pool || pool.remaining <= opened.remaining || !holds.pools.has(pool)) pool = opened
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      holds.placing.delete(opening)
    }
    return true
  }

  /** @returns undefined when the credit, the key or the order of currencies does not allow one hold for all. */
  async function openPool(group: Waiter[]): Promise<HoldPool | undefined> {
    const [{ request }] = group as [Waiter]
    const { accountId, keyId } = request
    const needed = nano(group.reduce((sum, { request }) => sum + request.amount, 0n))
    const floor = group.reduce((highest, { request: { minimumBalance = ZERO } }) => max(highest, minimumBalance), ZERO)
    const headroom = headroomAbove(needed, floor)
    // The last of them must still find its minimum when the others have taken theirs.
    const minimumBalance = floor > 0n ? nano(floor + needed) : undefined
    const amount = nano(needed + headroom)
    const requestId = `shared-${uuid()}`
    let held: Hold
    try {
      held = await store.place({ accountId, keyId, requestId, amount, minimumBalance })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (headroom > 0n) leanUntil = performance.now() + BACK_OFF_MS
      else aloneUntil = performance.now() + BACK_OFF_MS
      return undefined
    }
    const smallest = group.reduce((lowest, { request }) => min(lowest, request.amount), needed)
    if (!isInOrder(held, smallest)) {
      aloneUntil = performance.now() + BACK_OFF_MS
      await store.release(held, 'split')
      holds.returnCount++
      return undefined
    }
    return openOn(held)
  }

  function openOn(held: Hold): HoldPool {
    const before = withRemaining(held.balancesBefore as Balances)
    note(held)
    const opened = createHoldPool({
      hold: held,
      before,
      store,
      onLeave: callLeft,
      onClose(closing) {
        holds.pools.delete(opened)
        openPoolCount--
        if (pool === opened) pool = undefined
        holds.closing.add(closing)
        closing.finally(() => {
          holds.closing.delete(closing)
          leaveIfIdle()
        })
      },
      onReturned() {
        holds.returnCount++
      },
    })
    holds.pools.add(opened)
    openPoolCount++
    return opened
  }

  function headroomAbove(needed: Usd, floor: Usd): Usd {
    const now = performance.now()
    if (!last || now < leanUntil) return ZERO
    const spare = min(last.balances[last.currency], nano(sumOf(last.balances) - floor)) - needed
    return max(ZERO, min(demand.recent(now, MAX_HEADROOM_CALLS), nano(spare / HEADROOM_DIVISOR)))
  }

  /**
   * Tells whether each call alone would have got this currency: not when an earlier one has too little for all and
   * enough for one. Where a key may not spend that one, the last hold was not in it either.
   */
  function isInOrder({ currency, balancesBefore }: Hold, smallest: Usd): boolean {
    if (currency === last?.currency) return true
    return SPEND_ORDER.find((name) => (balancesBefore?.[name] ?? ZERO) >= smallest) === currency
  }

  async function eachAlone(group: Waiter[]): Promise<void> {
    await Promise.all(group.map(({ request, resolve, reject }) => holdAlone(request).then(resolve, reject)))
  }

  async function holdAlone(request: HoldRequest): Promise<SharedHold> {
    running++
    let held: Hold
    try {
      held = await store.hold(request)
    } catch (error) {
      callLeft()
      throw error
    }
    note(held)
    let ended: Promise<Captured> | undefined
    return {
      hold: { ...held, balancesBefore: withRemaining(held.balancesBefore as Balances) },
      end(charge) {
        ended ??= endAlone(store, held, charge).then(adjusted).finally(callLeft)
        return ended
      },
    }
  }

  const adjusted = (captured: Captured): Captured => ({
    ...captured,
    balancesAfter: captured.balancesAfter && withRemaining(captured.balancesAfter),
  })

  function join(joined: HoldPool, request: HoldRequest): SharedHold {
    running++
    return joined.take(request)
  }

  function callLeft(): void {
    running--
    leaveIfIdle()
  }

  function leaveIfIdle(): void {
    if (running === 0 && openPoolCount === 0 && !draining) onIdle(coalescer)
  }

  function note({ currency, amount, balancesBefore }: Hold): void {
    if (balancesBefore) last = { currency, balances: less(balancesBefore, currency, amount) }
  }

  function withRemaining(balances: Balances): Balances {
    let all = balances
    for (const { currency, remaining } of holds.pools) all = less(all, currency, nano(-remaining))
    return all
  }

  const coalescer: HoldCoalescer = {
    share,
    backOff: () => {
      leanUntil = performance.now() + BACK_OFF_MS
    },
    settled: async () => draining,
  }
  return coalescer
}

function overloaded(): ApiError {
  const message = 'The service is overloaded. Try again in a few seconds.'
  return new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}

const min = (a: bigint, b: bigint): Usd => nano(a < b ? a : b)
const max = (a: bigint, b: bigint): Usd => nano(a > b ? a : b)

const WINDOW_MS = 1_000
const PARTS = 256

type Demand = {
  add: (amount: Usd, now: number) => void
  recent: (now: number, highest: number) => Usd
}

export function createDemand(): Demand {
  let since = Number.NEGATIVE_INFINITY
  let [count, sum] = [0, 0n]
  let [countBefore, sumBefore] = [0, 0n]

  function turn(now: number): void {
    const age = now - since
    if (age < WINDOW_MS) return
    const isNext = age < 2 * WINDOW_MS
    ;[countBefore, sumBefore] = isNext ? [count, sum] : [0, 0n]
    ;[count, sum] = [0, 0n]
    since = isNext ? since + WINDOW_MS : now
  }

  return {
    add(amount, now) {
      turn(now)
      count++
      sum += amount
    },
    recent(now, highest) {
      turn(now)
      const parts = PARTS - Math.ceil(((now - since) / WINDOW_MS) * PARTS)
      const calls = count + Math.ceil((countBefore * parts) / PARTS)
      if (calls === 0) return ZERO
      const total = sum + (sumBefore * BigInt(parts)) / BigInt(PARTS)
      return nano(calls <= highest ? total : (total * BigInt(highest)) / BigInt(calls))
    },
  }
}
