import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Database, getDb } from '@/lib/db/client'
import { exchangeCredits, type Hours, sweepCredits } from '@/lib/endpoints/rpc/credits/credit-store'
import { hourOf, RollingDay } from '@/lib/endpoints/rpc/credits/rolling-day'
import { BoundedCache } from '@/lib/kernel/bounded-cache'
import { log } from '@/lib/kernel/log'

const WRITE_EVERY_MS = 2_000
/** Accounts whose credits wait to be written; past it the write happens at once. */
const MAX_WAITING = 1_000
/** Past this they are forgotten, the oldest first: the database has been away for long. */
const MAX_LEFT = 50_000
/** Accounts that a process knows of, and how long without a new word from the database. */
const MAX_KNOWN = 20_000
const KNOWN_MS = 600_000
const SWEEP_EVERY_MS = 3_600_000

export type CreditBook = {
  /** The account's last 24 hours: at once where they are known. @throws what the database says. */
  dayOf: (accountId: string) => RollingDay | Promise<RollingDay>
  count: (accountId: string, credits: number) => void
  /** Until everything that was counted is written, or could not be. Never rejects. */
  flush: () => Promise<void>
}

/**
 * The credits that accounts used, in memory and behind it in the database. One statement every two seconds writes what all
 * accounts used since, and brings back what they used in every process; another goes out when an account is seen for the
 * first time. A process has one book (`daily-credits.ts`); tests have many, as many processes would.
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

  /** One at a time, so that what comes back always covers what went before. */
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
      if (!isAway) log().warn({ err: error, accounts: sent.size }, 'credits of the day were not written; they stay due')
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

  /** What fails here is tried again an hour later. */
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
