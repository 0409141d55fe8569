import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { isOutage } from '@/lib/db/outage'
import { AGAIN, createBatcher } from '@/lib/kernel/batcher'
import { log } from '@/lib/kernel/log'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'
import { createDemand, type Demand } from '@/lib/services/ledger/demand'
import type { Balances, Captured, Charge, Currency, Hold, HoldRequest } from '@/lib/services/ledger/ledger-types'
import { createOutbox } from '@/lib/services/ledger/outbox'
import { chargeDelayed, isForMoney, ledgerUnavailable, type Refusal, refused } from '@/lib/services/ledger/refusal'
import {
  isRecalling,
  type LeaseAnswer,
  type LeaseRow,
  leaseCredit,
  type MarkRow,
  readBalances,
  recallLeases,
  toUsage,
} from '@/lib/services/ledger/statements'

const SPEND_ORDER: Currency[] = ['DIEM', 'BUNDLED_CREDITS', 'USD']
/** A lease covers what was asked for in the last two seconds, so one statement in two seconds is enough. */
const LEASED_SECONDS = 2n
const MAX_EXTRA = nano(1_000_000_000n)
/** What the database said of an account's other currencies and of its key counts for so long. */
export const FRESH_MS = 2_000
const IDLE_MS = 10_000
/** A request that is open for less leaves no mark: most are. */
const MARK_AFTER_MS = 50
/** A hold that is open for longer was forgotten by its owner. */
const MAX_AGE_MS = 6 * 3_600_000
export const MAX_UNWRITTEN = 10_000
const MAX_ROUNDS = 40
const RECALL_PATIENCE_MS = 1_200
/** The first look; each later one takes as much longer, so that patience ends before the rounds do. */
const RECALL_LOOK_MS = 10
const MAX_RECALL_LOOK_MS = 100

/** `amount` is what is not spent; what is not `reserved` of it is free. */
type Lease = { id: string; currency: Currency; amount: bigint; reserved: bigint }

/** What this process leases of an account for one key, or for none. */
type Pocket = {
  account: Account
  keyId?: string
  leases: Map<Currency, Lease>
  usable: Partial<Record<Currency, bigint>>
  expiresAt: number
  demand: Demand
  isGrowing: boolean
  /** Requests that have a part reserved or wait for one. */
  users: number
  readAt: number
  usedAt: number
}

type Account = {
  id: string
  pockets: Map<string | undefined, Pocket>
  /** Spendable and leased by nobody. */
  available: Balances
  /** Leased by other processes. */
  others: Balances
  readAt: number
  /** Counts what became free: a refusal may be older than that. */
  freed: number
}

type Named = Pick<Hold, 'id' | 'accountId' | 'keyId' | 'requestId' | 'isShared'>

type Reservation = Listed & {
  /** Not the hold itself: its owner may make another one of it. */
  of: Named
  pocket: Pocket
  lease: Lease
  amount: bigint
  since: number
  charge?: Charge
  isMarked: boolean
  /** Of its last mark: what a sweep would charge. */
  marked: bigint
  isDirty: boolean
  /** What its end came to: further ends get the same. */
  ended?: Promise<Captured>
}

type Ask = Pick<LeaseRow, 'owed'> & { currency?: Currency; amount: Usd; minimum?: Usd; minimumBalance?: Usd }
/** `looks`: how often others were waited for since they were asked to give back. */
type Search = { startedAt: number; looks: number; round: number }
type Facts = Pick<LeaseAnswer, 'others' | 'isRecalling'>
/** `hasFreed`: others gave something back while the database was asked. */
type Answer = Facts & { hasFreed: boolean } & ({ refusal: null; granted: Granted } | { refusal: Refusal })
type Granted = { lease: Lease; amount: Usd; before: Balances }

/** Creates the leases of one process: see docs/adr/0038. With `waits` every charge is written before it is told. */
export function createLeases(database: Database, processId: string, waits: boolean) {
  const accounts = new Map<string, Account>()
  const reservations = new SwapRemoveList<Reservation>()
  const leasing = createBatcher(lease, isOutage)
  const outbox = createOutbox(database, processId, {
    openRequests: () => reservations.size,
    hasMarks: () => dueMarks().next().done === false,
    takeMarks,
    markAgain(ids) {
      const unwritten = new Set(ids)
      for (const reservation of reservations) reservation.isDirty ||= unwritten.has(reservation.of.id)
    },
    beat,
    recall(ids) {
      const wanted = new Set(ids)
      for (const account of accounts.values()) {
        if (leasesOf(account).some(({ id }) => wanted.has(id))) recall(account)
      }
    },
    forget,
    isIdle: () => accounts.size === 0 && reservations.size === 0,
  })

  async function lease(rows: LeaseRow[]): ReturnType<typeof leaseCredit> {
    const sentAt = performance.now()
    const answers = await leaseCredit(database, processId, rows)
    if (answers.some((answer) => answer !== AGAIN && !answer.isKnown)) forget()
    outbox.noteSeen(sentAt)
    outbox.start()
    return answers
  }

  async function hold(request: HoldRequest): Promise<Hold> {
    const { accountId, keyId, requestId, amount, isShared } = request
    if (amount < 0n) throw new RangeError(`${amount}: a hold cannot be negative`)
    const id = uuid()
    if (amount === 0n) return { id, accountId, keyId, requestId, currency: 'USD', amount }
    if (outbox.size >= MAX_UNWRITTEN) throw overloaded()

    const now = performance.now()
    const pocket = pocketOf(accountId, keyId)
    const granted = fitting(pocket, request, now) ?? (await ask(pocket, request).catch(unavailable))
    pocket.demand.add(amount, now)
    return reserve(pocket, granted, { id, accountId, keyId, requestId, isShared })
  }

  function reserve(pocket: Pocket, { lease, amount, before }: Granted, named: Named): Hold {
    const since = performance.now()
    const held: Hold = { ...named, currency: lease.currency, amount, balancesBefore: before }
    pocket.users++
    pocket.usedAt = since
    const reservation = { of: named, pocket, lease, amount, since, isMarked: false, marked: 0n, isDirty: false }
    reservations.add(reservation)
    held.reservation = reservation
    return held
  }

  /** @returns undefined when the database has to be asked; otherwise it is reserved. */
  function fitting(pocket: Pocket, request: HoldRequest, now: number): Granted | undefined {
    if (!isFresh(pocket, now)) return undefined
    const { amount } = request
    const before = spendable(pocket.account)
    if (missedMinimum(pocket.account, request, before)) return undefined
    for (const lease of leasesInOrder(pocket)) {
      if (freeOf(lease) < amount) continue
      if (mayPayEarlier(pocket, lease.currency, amount)) return undefined
      lease.reserved += amount
      return { lease, amount, before }
    }
    return undefined
  }

  function isFresh({ readAt, expiresAt }: Pocket, now: number): boolean {
    return now - readAt < FRESH_MS && expiresAt > Date.now() && outbox.isTrusted(now)
  }

  /**
   * Asks the database, with what is free here, and reserves what it grants. Nobody is refused, gets less than
   * what was asked for, or pays in a later currency while credit lies unused elsewhere: that is gathered first.
   * @throws ApiError as `hold`.
   */
  async function ask(pocket: Pocket, wanted: Ask): Promise<Granted> {
    const { account } = pocket
    const search: Search = { startedAt: performance.now(), looks: 0, round: 0 }
    pocket.users++
    try {
      // What is asked for now must not go back with the lease that is being ended.
      if (outbox.isEnding(nameOf(pocket))) await outbox.flush()
      for (; ; search.round++) {
        const pending = outbox.pendingOf(account.id)
        const answer = await askOnce(pocket, wanted, pending)
        const { refusal } = answer
        const isEnough = refusal === null ? isBest(pocket, wanted, answer.granted) : !isForMoney(refusal)
        if (!isEnough && search.round < MAX_ROUNDS && (await hasGathered(pocket, answer, search, pending))) {
          if (refusal === null) answer.granted.lease.reserved -= answer.granted.amount
          continue
        }
        if (refusal === null) return answer.granted
        const left = spendable(account)
        throw refused(refusal, { ...wanted, minimumBalance: missedMinimum(account, wanted, left) }, left)
      }
    } finally {
      pocket.users--
    }
  }

  /** @returns whether there may be more now than when the database was asked. */
  async function hasGathered(pocket: Pocket, answer: Answer, search: Search, pending: bigint): Promise<boolean> {
    const { account } = pocket
    const isRefused = answer.refusal !== null
    if (isRefused && answer.hasFreed) return true
    if (giveBackUnused(account, isRefused ? undefined : pocket) || (isRefused && pending > 0n)) {
      await outbox.flush()
      return true
    }
    return isRecalled(account, answer, search)
  }

  /** Tells whether it is the whole, in the first currency that may have it. */
  function isBest(pocket: Pocket, { amount, currency }: Ask, granted: Granted): boolean {
    if (granted.amount < amount) return false
    return currency !== undefined || !mayPayEarlier(pocket, granted.lease.currency, amount)
  }

  /** Tells whether an earlier currency may have the amount, with what is leased elsewhere and perhaps not used. */
  function mayPayEarlier(pocket: Pocket, currency: Currency, amount: Usd): boolean {
    const { account, keyId, usable, leases } = pocket
    return SPEND_ORDER.slice(0, SPEND_ORDER.indexOf(currency)).some((earlier) => {
      const own = leases.get(earlier)
      const left = (keyId === undefined ? account.available[earlier] : usable[earlier]) ?? 0n
      let reach = own ? left + freeOf(own) : left
      // A limit of the key may forbid more of it.
      if (left < account.available[earlier]) return reach >= amount
      reach += account.others[earlier]
      for (const other of account.pockets.values()) {
        const there = other === pocket ? undefined : other.leases.get(earlier)
        if (there) reach += freeOf(there)
      }
      return reach >= amount
    })
  }

  /** Asks the other processes for what they do not use, and waits until they have answered. */
  async function isRecalled(account: Account, { others, isRecalling }: Facts, search: Search): Promise<boolean> {
    if (sumOf(others) === 0n || performance.now() - search.startedAt > RECALL_PATIENCE_MS) return false
    if (search.looks > 0 && !isRecalling) return false
    if (search.looks === 0) await recallLeases(database, processId, account.id)
    search.looks++
    await sleep(Math.min(search.looks * RECALL_LOOK_MS, MAX_RECALL_LOOK_MS))
    return true
  }

  /** Credit that running requests have set aside counts towards the least balance. */
  function missedMinimum(account: Account, { minimumBalance = ZERO }: Ask, left: Balances): Usd | undefined {
    return sumOf(left) + reservedOf(account) < minimumBalance ? minimumBalance : undefined
  }

  async function askOnce(pocket: Pocket, wanted: Ask, pending: bigint): Promise<Answer> {
    const { account, keyId } = pocket
    const { amount, minimum, minimumBalance, currency, owed } = wanted
    const taken = [...pocket.leases.values()].map((lease) => ({ lease, amount: least(freeOf(lease), amount) }))
    const extra = pocket.isGrowing ? 0n : extraOf(pocket)
    const asksExtra = extra > 0n
    for (const { lease, amount } of taken) lease.reserved += amount
    if (asksExtra) pocket.isGrowing = true
    const sentAt = performance.now()
    const { freed } = account
    let hasFreed = false
    let answer: LeaseAnswer | undefined
    try {
      answer = await leasing.add({
        account: account.id,
        key: keyId,
        currency,
        amount,
        minimum,
        floor: minimumBalance,
        pending,
        free: Object.fromEntries(taken.map(({ lease, amount }) => [lease.currency, amount])),
        extra,
        owed,
      })
    } finally {
      hasFreed = account.freed !== freed
      for (const { lease, amount } of taken) lease.reserved -= amount
      if (taken.some(({ amount }) => amount > 0n)) account.freed++
      if (asksExtra) pocket.isGrowing = false
    }
    note(pocket, answer, sentAt)
    if (answer.refusal !== null) return { ...answer, hasFreed }
    const lease = grow(pocket, answer)
    const before = spendable(account)
    lease.reserved += answer.amount
    return { ...answer, hasFreed, granted: { lease, amount: answer.amount, before } }
  }

  function note(pocket: Pocket, { balances, others, usable, expiresAt }: LeaseAnswer, at: number): void {
    const { account } = pocket
    account.available = balances
    account.others = others
    account.readAt = at
    pocket.readAt = at
    pocket.usable = { ...pocket.usable, ...usable }
    pocket.expiresAt = expiresAt ?? Number.POSITIVE_INFINITY
  }

  function grow(
    pocket: Pocket,
    { lease: id, currency, leased }: { lease: string; currency: Currency; leased: bigint },
  ): Lease {
    // The one that was here may have been given back whole meanwhile.
    let lease = pocket.leases.get(currency)
    if (lease?.id !== id) {
      lease = { id, currency, amount: 0n, reserved: 0n }
      pocket.leases.set(currency, lease)
    }
    lease.amount += leased
    pocket.usable[currency] = (pocket.usable[currency] ?? 0n) - leased
    return lease
  }

  function extraOf({ demand, leases }: Pocket): bigint {
    let free = 0n
    for (const lease of leases.values()) free += freeOf(lease)
    const wanted = demand.recent(performance.now()) * LEASED_SECONDS - free
    return wanted <= 0n ? 0n : least(wanted, MAX_EXTRA)
  }

  async function extend(hold: Hold, by: Usd): Promise<boolean> {
    if (by <= 0n) throw new RangeError(`${by}: a hold is extended by a positive amount`)
    const reservation = openOf(hold)
    if (!reservation) return false
    const { pocket, lease } = reservation
    if (pocket.leases.get(lease.currency) !== lease) return false
    if (!isFresh(pocket, performance.now()) || freeOf(lease) < by) {
      const granted = await ask(pocket, { currency: lease.currency, amount: by }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status < 500) return undefined
        throw chargeDelayed(error)
      })
      if (!granted) return false
      if (granted.lease !== lease || !openOf(hold)) {
        // The hold was ended meanwhile.
        granted.lease.reserved -= by
        return false
      }
    } else {
      lease.reserved += by
    }
    reservation.amount += by
    hold.amount = nano(hold.amount + by)
    pocket.demand.add(by, performance.now())
    return true
  }

  function checkpoint(hold: Hold, charge: Charge): void {
    const reservation = openOf(hold)
    if (!reservation) return
    reservation.charge = charge
    reservation.isDirty = true
  }

  /** Charges once; of nothing it releases. */
  function capture(hold: Hold, charge: Charge): Promise<Captured> {
    const reservation = reservationOf(hold)
    if (!reservation) throw new Error(`hold ${hold.id} is of another ledger`)
    reservation.ended ??= charge.amount === 0n ? releaseOpen(reservation) : captureOpen(reservation, charge)
    return reservation.ended
  }

  async function captureOpen(reservation: Reservation, charge: Charge): Promise<Captured> {
    // From here on it is ended: nobody else ends it while the rest is asked for.
    reservations.delete(reservation)
    const { of: named, lease, pocket } = reservation
    const beyond = charge.amount - reservation.amount
    if (beyond > 0n) reservation.amount += await moreOf(reservation, nano(beyond))
    const charged = nano(least(charge.amount, reservation.amount))
    lease.amount -= charged
    leave(reservation)
    outbox.charge({
      id: named.id,
      lease: lease.id,
      account: named.accountId,
      key: named.keyId,
      currency: lease.currency,
      charged,
      short: charge.amount - charged,
      request: named.requestId,
      charge,
      isMerged: named.isShared,
    })
    if (charged < charge.amount) noteShortfall(named, charge, charged)
    if (named.isShared && reservation.isMarked) outbox.unmark(named.id)
    // Nobody is told of a charge that is smaller than what a sweep would still take.
    if (waits || reservation.marked > charged) await outbox.flush().catch(delayed)
    return { charged, currency: lease.currency, balancesAfter: spendable(pocket.account) }
  }

  /** Reserves what the balance still has for work that cost more than was held. */
  async function moreOf({ pocket, lease }: Reservation, amount: Usd): Promise<bigint> {
    if (freeOf(lease) >= amount) {
      lease.reserved += amount
      return amount
    }
    const wanted = { currency: lease.currency, amount, minimum: nano(1n), owed: true } as const
    const granted = await ask(pocket, wanted).catch(() => undefined)
    if (granted?.lease === lease) return granted.amount
    if (granted) granted.lease.reserved -= granted.amount
    return 0n
  }

  /** @returns what can be spent then; undefined when the hold has ended already. */
  async function release(hold: Hold): Promise<Balances | undefined> {
    const reservation = reservationOf(hold)
    if (!reservation || reservation.ended) return undefined
    reservation.ended = releaseOpen(reservation)
    return (await reservation.ended).balancesAfter
  }

  async function releaseOpen(reservation: Reservation): Promise<Captured> {
    reservations.delete(reservation)
    leave(reservation)
    const { of: named, pocket, lease } = reservation
    const balancesAfter = spendable(pocket.account)
    if (reservation.isMarked) outbox.unmark(named.id)
    if (reservation.marked > 0n) await outbox.flush().catch(delayed)
    return { charged: ZERO, currency: lease.currency, balancesAfter }
  }

  function leave({ pocket, lease, amount }: Reservation): void {
    lease.reserved -= amount
    pocket.users--
    pocket.usedAt = performance.now()
    pocket.account.freed++
  }

  async function transfer<Result>(
    hold: Hold,
    amount: Usd,
    take: (leaseId: string) => Promise<Result>,
    isTaken: (result: Result) => boolean,
  ): Promise<Result> {
    const reservation = openOf(hold)
    if (!reservation || reservation.amount < amount) throw new RangeError(`${amount}: more than hold ${hold.id} has`)
    const { lease } = reservation
    // Gone from here before it is known whether it was taken: what was not goes back with the end of the lease.
    lease.amount -= amount
    lease.reserved -= amount
    reservation.amount -= amount
    const result = await take(lease.id)
    if (!isTaken(result)) {
      lease.amount += amount
      lease.reserved += amount
      reservation.amount += amount
    }
    return result
  }

  function* dueMarks(): Generator<Reservation> {
    const now = performance.now()
    for (const reservation of reservations) {
      const { isDirty, isMarked, since } = reservation
      if (isDirty || (!isMarked && now - since >= MARK_AFTER_MS)) yield reservation
    }
  }

  function takeMarks(max: number): MarkRow[] {
    return Array.from(dueMarks().take(max), (reservation) => {
      const { of: named, lease, charge } = reservation
      reservation.isDirty = false
      reservation.isMarked = true
      reservation.marked = charge ? least(charge.amount, reservation.amount) : 0n
      return {
        id: named.id,
        lease: lease.id,
        request: named.requestId,
        amount: reservation.marked,
        usage: charge && toUsage(charge),
      }
    })
  }

  function beat(): void {
    const now = performance.now()
    for (const reservation of reservations) {
      const { of: named, since } = reservation
      if (now - since < MAX_AGE_MS) continue
      log().warn({ hold: named.id, request: named.requestId }, 'a hold was open for six hours and is released')
      reservation.ended = releaseOpen(reservation)
      reservation.ended.catch(() => {})
    }
    for (const account of accounts.values()) {
      for (const pocket of account.pockets.values()) if (now - pocket.usedAt >= IDLE_MS) endPocket(pocket)
    }
  }

  /** Gives back all that the database has of a pocket that nobody uses. */
  function endPocket(pocket: Pocket): void {
    if (pocket.users > 0) return
    const { account, keyId, leases } = pocket
    const ids = [...leases.values()].map(({ id }) => id)
    for (const lease of leases.values()) account.available = plus(account.available, lease.currency, freeOf(lease))
    leases.clear()
    account.pockets.delete(keyId)
    if (account.pockets.size === 0) accounts.delete(account.id)
    if (ids.length > 0) outbox.end(nameOf(pocket), ids)
  }

  /** @returns whether there was anything. */
  function giveBackUnused(account: Account, except?: Pocket): boolean {
    let isGiven = false
    for (const pocket of account.pockets.values()) {
      if (pocket !== except && giveBackFrom(pocket)) isGiven = true
    }
    if (isGiven) makeStale(account)
    return isGiven
  }

  function giveBackFrom({ account, leases }: Pocket): boolean {
    let isGiven = false
    for (const lease of leases.values()) {
      const free = freeOf(lease)
      if (free <= 0n) continue
      lease.amount -= free
      account.available = plus(account.available, lease.currency, free)
      outbox.giveBack(lease.id, free)
      isGiven = true
    }
    return isGiven
  }

  function recall(account: Account): void {
    giveBackUnused(account)
    makeStale(account)
    // Also where nothing is free: so whoever waits learns that there is no more to come.
    for (const lease of leasesOf(account)) outbox.giveBack(lease.id, 0n)
  }

  function makeStale(account: Account): void {
    for (const pocket of account.pockets.values()) pocket.readAt = Number.NEGATIVE_INFINITY
    account.readAt = Number.NEGATIVE_INFINITY
  }

  /** Another process has ended all leases of this one: they are no longer there to be spent. */
  function forget(): void {
    if (accounts.values().every((account) => leasesOf(account).length === 0)) return
    for (const account of accounts.values()) {
      makeStale(account)
      for (const pocket of account.pockets.values()) pocket.leases.clear()
    }
    log().warn('this process was not heard of for too long: what it had leased was given back')
  }

  function pocketOf(accountId: string, keyId: string | undefined): Pocket {
    let account = accounts.get(accountId)
    if (!account) {
      account = {
        id: accountId,
        pockets: new Map(),
        available: NONE,
        others: NONE,
        readAt: Number.NEGATIVE_INFINITY,
        freed: 0,
      }
      accounts.set(accountId, account)
    }
    let pocket = account.pockets.get(keyId)
    if (!pocket) {
      pocket = {
        account,
        keyId,
        leases: new Map(),
        usable: {},
        expiresAt: Number.POSITIVE_INFINITY,
        demand: createDemand(),
        isGrowing: false,
        users: 0,
        readAt: Number.NEGATIVE_INFINITY,
        usedAt: performance.now(),
      }
      account.pockets.set(keyId, pocket)
    }
    return pocket
  }

  function reservedOf({ pockets }: Account): bigint {
    let sum = 0n
    for (const { leases } of pockets.values()) for (const { reserved } of leases.values()) sum += reserved
    return sum
  }

  /** What can be spent by what is known here, without a statement. */
  function knownBalances(accountId: string): Balances | undefined {
    const account = accounts.get(accountId)
    return account && performance.now() - account.readAt < FRESH_MS ? spendable(account) : undefined
  }

  /** Writes the charges of an account, so that what comes after them is written after them. */
  async function written(accountId: string): Promise<void> {
    if (outbox.pendingOf(accountId) > 0n) await outbox.flush()
  }

  async function balancesOf(accountId: string): Promise<Balances> {
    await written(accountId)
    const account = accounts.get(accountId)
    let balances = await readBalances(database, accountId)
    if (account) {
      for (const { currency, reserved } of leasesOf(account)) balances = plus(balances, currency, -reserved)
    }
    return balances
  }

  /** Gives back what an account does not use here, and asks the other processes for the same. */
  async function gather(accountId: string): Promise<void> {
    const account = accounts.get(accountId)
    if (account && giveBackUnused(account)) await outbox.flush()
    else await written(accountId)
    if (!(await recallLeases(database, processId, accountId))) return
    const until = performance.now() + RECALL_PATIENCE_MS
    do await sleep(RECALL_LOOK_MS)
    while (performance.now() < until && (await isRecalling(database, processId, accountId)))
  }

  /** Writes everything, and gives back every lease that is not in use. */
  async function settled(): Promise<void> {
    await leasing.settled()
    for (const reservation of reservations) reservation.isDirty ||= !reservation.isMarked
    for (const account of accounts.values()) {
      for (const pocket of account.pockets.values()) endPocket(pocket)
      giveBackUnused(account)
    }
    await outbox.flush()
  }

  return {
    hold,
    extend,
    checkpoint,
    capture,
    release,
    transfer,
    balancesOf,
    knownBalances,
    isOpen: (accountId: string, requestId: string) =>
      [...reservations].some(({ of }) => of.accountId === accountId && of.requestId === requestId),
    gather,
    changed(accountId: string | undefined) {
      if (accountId === undefined) for (const account of accounts.values()) makeStale(account)
      else if (accounts.has(accountId)) makeStale(accounts.get(accountId) as Account)
    },
    recalled(accountId: string) {
      const account = accounts.get(accountId)
      if (account) recall(account)
    },
    written,
    flush: outbox.flush,
    settled,
    stop: outbox.stop,
  }
}

const reservationOf = ({ reservation }: Hold): Reservation | undefined => reservation as Reservation | undefined

function openOf(hold: Hold): Reservation | undefined {
  const reservation = reservationOf(hold)
  return reservation?.ended ? undefined : reservation
}

function noteShortfall({ id, requestId }: Named, charge: Charge, charged: Usd): void {
  const facts = { hold: id, asked: charge.amount.toString(), charged: charged.toString(), request: requestId }
  log().warn(facts, 'a charge was not covered by its hold and balance')
}

function delayed(error: unknown): never {
  throw chargeDelayed(error)
}

const NONE: Balances = { DIEM: ZERO, BUNDLED_CREDITS: ZERO, USD: ZERO }

const leasesInOrder = ({ leases }: Pocket): Lease[] =>
  SPEND_ORDER.map((currency) => leases.get(currency)).filter((lease) => lease !== undefined)
const freeOf = ({ amount, reserved }: Lease): bigint => amount - reserved
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const leasesOf = ({ pockets }: Account): Lease[] => [...pockets.values()].flatMap(({ leases }) => [...leases.values()])

function plus(balances: Balances, currency: Currency, amount: bigint): Balances {
  return { ...balances, [currency]: nano(balances[currency] + amount) }
}

function spendable(account: Account): Balances {
  const { available, others } = account
  const sum = {
    DIEM: available.DIEM + others.DIEM,
    BUNDLED_CREDITS: available.BUNDLED_CREDITS + others.BUNDLED_CREDITS,
    USD: available.USD + others.USD,
  }
  for (const { leases } of account.pockets.values()) {
    for (const lease of leases.values()) sum[lease.currency] += freeOf(lease)
  }
  return { DIEM: nano(sum.DIEM), BUNDLED_CREDITS: nano(sum.BUNDLED_CREDITS), USD: nano(sum.USD) }
}

const nameOf = ({ account, keyId }: Pocket): string => `${account.id} ${keyId}`

const sumOf = ({ DIEM, BUNDLED_CREDITS, USD }: Balances): bigint => DIEM + BUNDLED_CREDITS + USD

function unavailable(error: unknown): never {
  throw error instanceof ApiError ? error : ledgerUnavailable(error)
}

function overloaded(): ApiError {
  const message = 'The service is overloaded. Try again in a few seconds.'
  return new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}
