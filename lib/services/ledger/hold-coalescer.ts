import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Balances, Captured, Currency, Hold, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import {
  createHoldPool,
  endAlone,
  type HoldPool,
  type HoldStore,
  less,
  sumOf,
} from '@/lib/services/ledger/hold-pool'

/** Calls that one hold is placed for; more wait for the next. */
const MAX_GROUP = 1_000
/** Calls that wait for a hold at most; past it the database is too slow for what is asked of it. */
const MAX_WAITING = 10_000
/** Room for calls to come: what was asked for lately, at most this many calls' worth. */
const MAX_HEAD_ROOM_CALLS = 10_000
/** And at most this part of what may be spent, so that it is in nobody's way. */
const HEAD_ROOM_PART = 100n
/** After a refusal nothing is shared, or set aside for calls to come, for as long. */
const CAUTION_MS = 1_000
const SPEND_ORDER: Currency[] = ['DIEM', 'BUNDLED_CREDITS', 'USD']

type Waiter = { request: HoldRequest; resolve: (held: SharedHold) => void; reject: (error: unknown) => void }

/** What the desks of one account have open, are ending, and are asking for. */
export type AccountHolds = {
  pots: Set<HoldPool>
  closing: Set<Promise<void>>
  placing: Set<Promise<unknown>>
  /** How often something was given back to the account. */
  givenBack: number
}

/** Where the calls of one account and key ask. */
export type HoldCoalescer = {
  share: (request: HoldRequest) => Promise<SharedHold>
  /** For the moment, sets nothing aside for calls to come. */
  backOff: () => void
  /** Until nothing waits. */
  settled: () => Promise<void>
}

/** `onIdle` is told whenever nobody is there any more. */
export function createHoldCoalescer(
  bank: HoldStore,
  till: AccountHolds,
  onIdle: (desk: HoldCoalescer) => void,
): HoldCoalescer {
  const demand = createDemand()
  let waiting: Waiter[] = []
  let draining: Promise<void> | undefined
  /** Calls that have their hold, or ask for one of their own, and have not ended. */
  let running = 0
  /** Where calls join, and how many of this desk are open. */
  let pot: HoldPool | undefined
  let openPots = 0
  /** What the last hold found: the currency it got, and what could be spent then. */
  let last: { currency: Currency; balances: Balances } | undefined
  let aloneUntil = 0
  let leanUntil = 0

  function share(request: HoldRequest): Promise<SharedHold> {
    const now = performance.now()
    demand.add(request.amount, now)
    if (waiting.length === 0 && pot?.fits(request, now)) return Promise.resolve(join(pot, request))
    if (now < aloneUntil) return holdAlone(request)
    if (waiting.length >= MAX_WAITING) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      draining ??= new Promise<void>((turn) => setImmediate(turn)).then(drain)
    })
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      seatWaiting()
      const group = waiting.slice(0, MAX_GROUP)
      waiting = waiting.slice(MAX_GROUP)
      const isShared = (group.length > 1 || running > 0) && performance.now() >= aloneUntil
      if (!(isShared && (await holdTogether(group)))) await eachAlone(group)
    }
    draining = undefined
    leaveIfIdle()
  }

  /** Gives those their place for whom others have made room meanwhile. */
  function seatWaiting(): void {
    const now = performance.now()
    waiting = waiting.filter(({ request, resolve }) => {
      if (!pot?.fits(request, now)) return true
      resolve(join(pot, request))
      return false
    })
  }

  /** @returns whether the group has what it needs; else each must ask for itself. */
  async function holdTogether(group: Waiter[]): Promise<boolean> {
    const opening = openPot(group)
    till.placing.add(opening)
    try {
      const opened = await opening
      if (!opened) return false
      for (const { request, resolve } of group) resolve(join(opened, request))
      if (!pot || pot.room <= opened.room || !till.pots.has(pot)) pot = opened
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      till.placing.delete(opening)
    }
    return true
  }

  /** @returns nothing when the credit, the key or the order of currencies does not allow one hold for all. */
  async function openPot(group: Waiter[]): Promise<HoldPool | undefined> {
    const [{ request }] = group as [Waiter]
    const { accountId, keyId } = request
    const needed = nano(group.reduce((sum, { request }) => sum + request.amount, 0n))
    const floor = group.reduce((most, { request: { minimumBalance = ZERO } }) => max(most, minimumBalance), ZERO)
    const headRoom = headRoomBeside(needed, floor)
    // The last of them must still find its minimum when the others have taken theirs.
    const minimumBalance = floor > 0n ? nano(floor + needed) : undefined
    const amount = nano(needed + headRoom)
    const requestId = `shared-${uuid()}`
    let held: Hold
    try {
      held = await bank.place({ accountId, keyId, requestId, amount, minimumBalance })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (headRoom > 0n) leanUntil = performance.now() + CAUTION_MS
      else aloneUntil = performance.now() + CAUTION_MS
      return undefined
    }
    const smallest = group.reduce((least, { request }) => min(least, request.amount), needed)
    if (!isInOrder(held, smallest)) {
      aloneUntil = performance.now() + CAUTION_MS
      await bank.release(held, 'split')
      till.givenBack++
      return undefined
    }
    return openOn(held)
  }

  function openOn(held: Hold): HoldPool {
    const before = withRooms(held.balancesBefore as Balances)
    note(held)
    const opened = createHoldPool({
      hold: held,
      before,
      bank,
      onLeave: callLeft,
      onClose(closing) {
        till.pots.delete(opened)
        openPots--
        if (pot === opened) pot = undefined
        till.closing.add(closing)
        closing.finally(() => {
          till.closing.delete(closing)
          leaveIfIdle()
        })
      },
      onGivenBack() {
        till.givenBack++
      },
    })
    till.pots.add(opened)
    openPots++
    return opened
  }

  function headRoomBeside(needed: Usd, floor: Usd): Usd {
    const now = performance.now()
    if (!last || now < leanUntil) return ZERO
    const spare = min(last.balances[last.currency], nano(sumOf(last.balances) - floor)) - needed
    return max(ZERO, min(demand.recent(now, MAX_HEAD_ROOM_CALLS), nano(spare / HEAD_ROOM_PART)))
  }

  /**
   * Whether the hold is in the currency in which each call alone would have been: not when one that is spent earlier has
   * too little for all, and enough for one. Where a key may not spend that one, the last hold was not in it either.
   */
  function isInOrder({ currency, balancesBefore }: Hold, smallest: Usd): boolean {
    if (currency === last?.currency) return true
    return SPEND_ORDER.find((name) => (balancesBefore?.[name] ?? ZERO) >= smallest) === currency
  }

  async function eachAlone(group: Waiter[]): Promise<void> {
    await Promise.all(group.map(({ request, resolve, reject }) => holdAlone(request).then(resolve, reject)))
  }

  /** A hold of its own, as without sharing. */
  async function holdAlone(request: HoldRequest): Promise<SharedHold> {
    running++
    let held: Hold
    try {
      held = await bank.hold(request)
    } catch (error) {
      callLeft()
      throw error
    }
    note(held)
    let ended: Promise<Captured> | undefined
    return {
      hold: { ...held, balancesBefore: withRooms(held.balancesBefore as Balances) },
      end(charge) {
        ended ??= endAlone(bank, held, charge).then(told).finally(callLeft)
        return ended
      },
    }
  }

  const told = (captured: Captured): Captured => ({
    ...captured,
    balancesAfter: captured.balancesAfter && withRooms(captured.balancesAfter),
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
    if (running === 0 && openPots === 0 && !draining) onIdle(desk)
  }

  function note({ currency, amount, balancesBefore }: Hold): void {
    if (balancesBefore) last = { currency, balances: less(balancesBefore, currency, amount) }
  }

  /** What no call is in may be spent: it is set aside for calls that may never come. */
  function withRooms(balances: Balances): Balances {
    let all = balances
    for (const { currency, room } of till.pots) all = less(all, currency, nano(-room))
    return all
  }

  const desk: HoldCoalescer = {
    share,
    backOff: () => {
      leanUntil = performance.now() + CAUTION_MS
    },
    settled: async () => draining,
  }
  return desk
}

function overloaded(): ApiError {
  const message = 'The service is overloaded. Try again in a few seconds.'
  return new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}

const min = (a: bigint, b: bigint): Usd => nano(a < b ? a : b)
const max = (a: bigint, b: bigint): Usd => nano(a > b ? a : b)

const WINDOW_MS = 1_000
/** Parts of a window, for sharing it out in whole numbers. */
const PARTS = 256

type Demand = {
  /** `now` is of the monotonic clock, milliseconds. */
  add: (amount: Usd, now: number) => void
  /** What was asked for in the last second, at most `most` calls' worth of it. */
  recent: (now: number, most: number) => Usd
}

/** How much is asked for lately: this window, and of the one before it the part that is still recent. */
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
    recent(now, most) {
      turn(now)
      const parts = PARTS - Math.ceil(((now - since) / WINDOW_MS) * PARTS)
      const calls = count + Math.ceil((countBefore * parts) / PARTS)
      if (calls === 0) return ZERO
      const total = sum + (sumBefore * BigInt(parts)) / BigInt(PARTS)
      return nano(calls <= most ? total : (total * BigInt(most)) / BigInt(calls))
    },
  }
}

/** Rounds of waiting for what ends, each of which may let more end. */
const MAX_SETTLING_ROUNDS = 100

type SharedHolds = {
  share: (request: HoldRequest) => Promise<SharedHold>
  /** For somebody who is about to ask for credit of an account, and may be refused. */
  watch: (accountId: string) => Watch
  /** Until no call waits, and every hold without a call has ended. */
  settled: () => Promise<void>
}

type Watch = {
  /**
   * After a refusal: gives the account back what is set aside for no call; with a key, what is under its limits.
   *
   * @returns whether anything was given back since the watch began, or since the last time: asking again may help then.
   */
  giveBack: (keyId?: string) => Promise<boolean>
}

type AccountCoalescers = { desks: Map<string | undefined, HoldCoalescer>; till: AccountHolds }

/** The shared holds of one ledger: a desk for each account and key that has calls under way. */
export function createSharedHolds(
  bank: HoldStore & { balancesOf: (accountId: string) => Promise<Balances> },
): SharedHolds {
  const customers = new Map<string, AccountCoalescers>()

  function share(request: HoldRequest): Promise<SharedHold> {
    const { accountId, keyId, amount, minimum } = request
    if (amount <= 0n || minimum !== undefined) return shareNothing(request)
    let customer = customers.get(accountId)
    if (!customer) {
      customer = { desks: new Map(), till: { pots: new Set(), closing: new Set(), placing: new Set(), givenBack: 0 } }
      customers.set(accountId, customer)
    }
    let desk = customer.desks.get(keyId)
    if (!desk) {
      desk = createHoldCoalescer(bank, customer.till, (idle) => forget(accountId, keyId, idle))
      customer.desks.set(keyId, desk)
    }
    return desk.share(request)
  }

  /** Work without a price, or open-ended: it has nothing that could be shared. */
  async function shareNothing(request: HoldRequest): Promise<SharedHold> {
    const hold = await bank.hold(request)
    const balancesBefore = hold.balancesBefore ?? (await bank.balancesOf(request.accountId))
    let ended: Promise<Captured> | undefined
    return {
      hold: { ...hold, balancesBefore },
      end(charge) {
        ended ??= endAlone(bank, hold, charge)
        return ended
      },
    }
  }

  function forget(accountId: string, keyId: string | undefined, idle: HoldCoalescer): void {
    const customer = customers.get(accountId)
    if (!customer) return
    if (customer.desks.get(keyId) === idle) customer.desks.delete(keyId)
    if (customer.desks.size === 0 && customer.till.closing.size === 0) customers.delete(accountId)
  }

  function watch(accountId: string): Watch {
    const till = customers.get(accountId)?.till
    let seen = till?.givenBack
    return {
      async giveBack(keyId) {
        const isGiven = await giveBack(accountId, keyId)
        // A refusal may be older than what was given back while it was on its way, which is then no longer here to be given.
        const isNew = till?.givenBack !== seen
        seen = till?.givenBack
        return isGiven || isNew
      },
    }
  }

  async function giveBack(accountId: string, keyId?: string): Promise<boolean> {
    const customer = customers.get(accountId)
    if (!customer) return false
    const { desks, till } = customer
    for (const [key, desk] of desks) if (keyId === undefined || key === keyId) desk.backOff()
    // What is being placed may turn out to be more room; it waits for nobody.
    await Promise.allSettled(till.placing)
    const given = await Promise.all([
      ...[...till.closing].map((closing) => closing.then(() => true)),
      ...[...till.pots].map((pot) => (keyId === undefined || pot.keyId === keyId) && pot.giveBack()),
    ])
    return given.includes(true)
  }

  async function settled(): Promise<void> {
    for (let round = 0; round < MAX_SETTLING_ROUNDS; round++) {
      const all = [...customers.values()]
      await Promise.all(all.flatMap(({ desks }) => [...desks.values()].map((desk) => desk.settled())))
      for (const { till } of all) for (const pot of till.pots) pot.closeIfEmpty()
      const closing = all.flatMap(({ till }) => [...till.closing])
      if (closing.length === 0) return
      await Promise.all(closing)
    }
  }

  return { share, watch, settled }
}
