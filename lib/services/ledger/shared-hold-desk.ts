import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Balances, Captured, Currency, Hold, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { endAlone } from '@/lib/services/ledger/shared-hold-alone'
import { createDemand } from '@/lib/services/ledger/shared-hold-demand'
import { createHoldPool, type HoldPool, type HoldStore, less, sumOf } from '@/lib/services/ledger/shared-hold-pot'

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
