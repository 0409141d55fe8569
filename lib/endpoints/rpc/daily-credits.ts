import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { unavailable } from '@/lib/db/outage'
import { BoundedCache } from '@/lib/kernel/expiring-maps'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { limits } from '@/lib/services/limits/limits-file'

const NEVER_RETRY_SECONDS = 86_400

/**
 * Checks that the account's cap of any 24 hours, times its multiplier, leaves room for `credits`. Whole hours count.
 * Calls under way count when they end, and credits of other processes are known two seconds later: an account may pass
 * the cap by that much.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED; SERVICE_UNAVAILABLE when nobody knows what was used.
 */
export function assertDailyCredits(accountId: string, credits: number, multiplier = 1): Promise<void> | void {
  const cap = Math.floor(limits().cryptoRpc.creditsPerDay * multiplier)
  if (cap === 0) return
  const day = book().dayOf(accountId)
  if (day instanceof RollingDay) return assertRoom(day, credits, cap)
  return day.then((read) => assertRoom(read, credits, cap), notChecked)
}

export function countCredits(accountId: string, credits: number): void {
  if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError(`${credits}: credits are counted whole`)
  if (credits === 0 || limits().cryptoRpc.creditsPerDay === 0) return
  book().count(accountId, credits)
}

/** Writes the counted credits, for the server before it stops. Never rejects. */
export function flushCredits(): Promise<void> {
  return book().flush()
}

function assertRoom(day: RollingDay, credits: number, cap: number): void {
  const nowMs = Date.now()
  const hour = hourOf(nowMs)
  const used = day.total(hour)
  if (used + credits <= cap) return
  const easesAtMs = day.easesAtMs(hour, cap - credits)
  const eases =
    easesAtMs === undefined
      ? 'This request alone may need more: send a smaller batch.'
      : `Enough credits are available again at ${new Date(easesAtMs).toISOString().slice(0, 16)}Z; smaller requests may fit earlier.`
  throw limitReached(
    'The account has used up its JSON-RPC credits for 24 hours. Try again later, or ask the operator for more.',
    `Daily cap: ${plain(cap)} JSON-RPC credits in any 24 hours. ${plain(used)} are used, and this request may need ${plain(credits)}. ${eases}`,
    easesAtMs === undefined ? NEVER_RETRY_SECONDS : Math.max(1, Math.ceil((easesAtMs - nowMs) / 1_000)),
  )
}

function notChecked(cause: unknown): never {
  const message = 'The day’s credits cannot be checked at the moment. Nothing was charged. Try again in a few seconds.'
  throw unavailable(message, cause)
}

const plain = (count: number): string => count.toLocaleString('en-US')

const book = (): CreditBook => perProcess('rpc-credits', () => createCreditBook())

const WRITE_EVERY_MS = 2_000
const MAX_WAITING = 1_000
/** Past this the oldest are forgotten: the database has been away for long. */
const MAX_LEFT = 50_000
const MAX_KNOWN = 20_000
const KNOWN_MS = 600_000
const SWEEP_EVERY_MS = 3_600_000

type CreditBook = {
  dayOf: (accountId: string) => RollingDay | Promise<RollingDay>
  count: (accountId: string, credits: number) => void
  flush: () => Promise<void>
}

/**
 * Keeps the credits that accounts used in memory, and behind it in the database. One statement every two seconds writes
 * and reads them for all accounts; another goes out when an account is first seen.
 */
export function createCreditBook(database: () => Promise<Database> = getDb, now: () => number = Date.now): CreditBook {
  const known = new BoundedCache<string, RollingDay>(MAX_KNOWN, KNOWN_MS)
  let waiting = new Map<string, Hours>()
  let asked = new Map<string, PromiseWithResolvers<RollingDay>>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let sweepAtMs = now() + SWEEP_EVERY_MS
  let isAway = false

  function dayOf(accountId: string): RollingDay | Promise<RollingDay> {
    const day = known.get(accountId, now())
    if (day !== undefined) return day
    let question = asked.get(accountId)
    if (question === undefined) {
      question = Promise.withResolvers<RollingDay>()
      asked.set(accountId, question)
      void exchange()
    }
    return question.promise
  }

  function count(accountId: string, credits: number): void {
    const nowMs = now()
    const hour = hourOf(nowMs)
    known.get(accountId, nowMs)?.add(hour, credits)
    addTo(waiting, accountId, hour, credits)
    if (waiting.size >= MAX_WAITING && !isAway) void exchange()
    else arm()
  }

  async function flush(): Promise<void> {
    while (running !== undefined) await running
    if (waiting.size > 0) await exchange()
  }

  function arm(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void exchange()
    }, WRITE_EVERY_MS).unref()
  }

  function exchange(): Promise<void> {
    running ??= exchangeOnce().finally(() => {
      running = undefined
      if (asked.size > 0) void exchange()
      else if (waiting.size > 0) arm()
    })
    return running
  }

  async function exchangeOnce(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // What is asked in the same moment travels together.
    await nextTurn()
    const [sent, questions] = [waiting, asked]
    waiting = new Map()
    asked = new Map()
    try {
      const own = await database()
      learn(await exchangeCredits(own, sent, [...questions.keys()]), sent, questions)
      isAway = false
      if (now() >= sweepAtMs) await sweep(own)
    } catch (error) {
      // Whether they were written is unknown where the connection broke: then two seconds may count twice, against nobody's money.
      for (const [accountId, hours] of sent)
        for (const [hour, credits] of hours) addTo(waiting, accountId, hour, credits)
      for (const accountId of waiting.keys()) if (waiting.size > MAX_LEFT) waiting.delete(accountId)
      for (const { reject } of questions.values()) reject(error)
      if (!isAway) log().warn({ err: error, accounts: sent.size }, 'daily credits could not be saved; retrying later')
      isAway = true
    }
  }

  function learn(
    found: Map<string, Hours>,
    sent: Map<string, Hours>,
    questions: Map<string, PromiseWithResolvers<RollingDay>>,
  ): void {
    const nowMs = now()
    for (const accountId of new Set([...sent.keys(), ...questions.keys()])) {
      const day = new RollingDay()
      for (const [hour, credits] of found.get(accountId) ?? []) day.add(hour, credits)
      // What was counted while the statement ran.
      for (const [hour, credits] of waiting.get(accountId) ?? []) day.add(hour, credits)
      known.set(accountId, day, nowMs)
      questions.get(accountId)?.resolve(day)
    }
  }

  async function sweep(own: Database): Promise<void> {
    sweepAtMs = now() + SWEEP_EVERY_MS
    await sweepCredits(own).catch(() => undefined)
  }

  return { dayOf, count, flush }
}

function addTo(all: Map<string, Hours>, accountId: string, hour: number, credits: number): void {
  const hours = all.get(accountId)
  if (hours === undefined) all.set(accountId, new Map([[hour, credits]]))
  else hours.set(hour, (hours.get(hour) ?? 0) + credits)
}

/** This hour and the 24 before it: a bucket counts as long as any part of its hour is within 24 hours. */
const BUCKETS = 25
export const HOUR_MS = 3_600_000

export const hourOf = (nowMs: number): number => Math.floor(nowMs / HOUR_MS)

/** Credits of the last 24 hours, by the hour. It never goes back, whatever a clock does. */
export class RollingDay {
  readonly #buckets = new Float64Array(BUCKETS)
  #newest = 0
  #total = 0

  add(hour: number, amount: number): void {
    this.#advance(hour)
    // Older than the window: it counts no more.
    if (hour <= this.#newest - BUCKETS) return
    this.#buckets[hour % BUCKETS]! += amount
    this.#total += amount
  }

  total(hour: number): number {
    this.#advance(hour)
    return this.#total
  }

  easesAtMs(hour: number, max: number): number | undefined {
    this.#advance(hour)
    let left = this.#total
    if (left <= max) return this.#newest * HOUR_MS
    for (let oldest = this.#newest - BUCKETS + 1; oldest <= this.#newest; oldest++) {
      left -= this.#buckets[oldest % BUCKETS]!
      if (left <= max) return (oldest + BUCKETS) * HOUR_MS
    }
    return undefined
  }

  #advance(hour: number): void {
    if (hour <= this.#newest) return
    const first = Math.max(this.#newest + 1, hour - BUCKETS + 1)
    for (let next = first; next <= hour; next++) {
      this.#total -= this.#buckets[next % BUCKETS]!
      this.#buckets[next % BUCKETS] = 0
    }
    this.#newest = hour
  }
}

const MAX_SWEPT = 10_000

type Hours = Map<number, number>

async function exchangeCredits(
  { query }: Database,
  sent: Map<string, Hours>,
  asked: string[],
): Promise<Map<string, Hours>> {
  const added = [...sent].flatMap(([account, hours]) =>
    [...hours].map(([hour, credits]) => ({ account, hour, credits })),
  )
  const rows = await query<{ account: string; hour: number; credits: string }>(EXCHANGE, [
    JSON.stringify(added),
    [...new Set([...sent.keys(), ...asked])],
  ])
  const found = new Map<string, Hours>()
  for (const { account, hour, credits } of rows) {
    const hours = found.get(account) ?? new Map<number, number>()
    found.set(account, hours.set(hour, Number(credits)))
  }
  return found
}

export async function sweepCredits({ query }: Database): Promise<void> {
  await query(
    `delete from rpc_credits c using
       (select account_id, hour from rpc_credits where hour < now() - interval '26 hours' limit $1 for update skip locked) old
     where c.account_id = old.account_id and c.hour = old.hour`,
    [MAX_SWEPT],
  )
}

/**
 * Rows go in the order of accounts and hours, so that statements of several processes cannot wait for each other in a
 * circle. What a wrong clock wrote into the future counts for nothing.
 */
const EXCHANGE = `
  with added as (
    insert into rpc_credits as c (account_id, hour, credits)
    select a.account, to_timestamp(a.hour * 3600.0), a.credits
      from jsonb_to_recordset($1::jsonb) as a(account uuid, hour int, credits bigint) order by a.account, a.hour
    on conflict (account_id, hour) do update set credits = c.credits + excluded.credits
    returning c.account_id, c.hour, c.credits
  ),
  earlier as (
    select c.account_id, c.hour, c.credits from rpc_credits c
    where c.account_id = any($2::uuid[])
      and not exists (select 1 from added a where a.account_id = c.account_id and a.hour = c.hour)
  )
  select x.account_id::text as account, (extract(epoch from x.hour) / 3600)::int as hour, x.credits::text as credits
  from (select * from added union all select * from earlier) x
  where x.hour > now() - interval '26 hours' and x.hour <= now() + interval '1 hour'`

export function limitReached(message: string, customMessage: string, retryAfterSeconds: number): ApiError {
  const code = 'RATE_LIMIT_EXCEEDED'
  return new ApiError(code, message, { retryAfterSeconds, body: { error: message, code, customMessage } })
}
