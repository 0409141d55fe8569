import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { Database } from '@/lib/db/database'
import { logSparingly } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import { perProcess } from '@/lib/kernel/per-process'

export const OUTAGE_RETRY_SECONDS = 2

/** Converts an outage to the caller's error with `message`; an error that is the caller's already is returned as it is. */
export function unavailable(message: string, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  return new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: OUTAGE_RETRY_SECONDS })
}

const OUTAGE = /^(08|53|57P|57014|58|XX|25006|28|3D000)/

/** A lock held for too long, or a deadlock: nothing took effect. */
const CONTENTION = /^(55P03|40001|40P01)/

const UNWRITABLE = /^(25006|53100|58030|ENOSPC|EROFS|EDQUOT|EIO)$/

/**
 * The database could not be asked or did not answer, as opposed to refusing a statement. It is unknown whether the
 * statement took effect.
 */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
  readonly code: string

  constructor(cause: unknown) {
    super(`the database is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.code = codeOf(cause)
  }

  get stopsWrites(): boolean {
    return UNWRITABLE.test(this.code)
  }
}

export function isOutage(error: unknown): boolean {
  return find(error, isOwnOutage)
}

export function isPassing(error: unknown): boolean {
  return isOutage(error) || isContention(error)
}

export function isContention(error: unknown): boolean {
  return find(error, (link) => isFromServer(link) && CONTENTION.test(codeOf(link)))
}

/** Compared by name: the server's bundle and Next's have a class each. */
function isOwnOutage(error: Error): boolean {
  if (error.name === 'DatabaseUnavailable') return true
  if (error instanceof DrizzleQueryError) return isDriverOutage(error.cause)
  return isFromServer(error) && OUTAGE.test(codeOf(error))
}

function isDriverOutage(error: unknown): boolean {
  // Errors that the server sent carry a severity, on both drivers. These two are faults of ours; everything else happened
  // on the way to it.
  if (isFromServer(error)) return OUTAGE.test(codeOf(error))
  return !(error instanceof TypeError || error instanceof RangeError)
}

function find(error: unknown, test: (link: Error) => boolean): boolean {
  for (let link = error; link instanceof Error; link = link.cause) if (test(link)) return true
  return false
}

const isFromServer = (error: unknown): boolean => error instanceof Error && 'severity' in error

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? 'NO_CONNECTION')

const RETRY_MS = [100, 400, 1_500]
const LAST_BEGIN_MS = 5_000

/**
 * Runs a write, and again while the database is away or contended, or for the errors that `mayPass` names. After an
 * outage it is unknown whether an attempt took effect, so `write` must be idempotent.
 * @throws whatever the last attempt threw.
 */
export async function persist<Result>(write: () => Promise<Result>, mayPass = isPassing): Promise<Result> {
  const startedAt = performance.now()
  for (const waitMs of RETRY_MS) {
    try {
      return await write()
    } catch (error) {
      if (!mayPass(error) || performance.now() + waitMs - startedAt > LAST_BEGIN_MS) throw error
      await sleep(waitMs)
    }
  }
  return write()
}

const databaseState = () => perProcess('database-state', () => ({ refusesWrites: false }))

export function fromDriver(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isDriverOutage(error)) return error
  const outage = new DatabaseUnavailable(error)
  metrics().databaseFailures.add(1, outage.code)
  if (outage.stopsWrites) databaseState().refusesWrites = true
  logSparingly(`database ${outage.code}`, { code: outage.code, err: error }, 'the database is not available')
  return outage
}

export async function checkDatabase({ query }: Pick<Database, 'query'>, oldestMs: number, stuckMs: number) {
  if (oldestMs > stuckMs) throw new Error(`a statement has waited for ${Math.round(oldestMs)} ms`)
  const [row] = await query<{ mode: string }>(`select current_setting('transaction_read_only') as mode`)
  if (row?.mode !== 'off') throw new Error('the database is read-only')
  // A write each second would be a price without need; once one has failed, only a write can tell that they work again.
  const state = databaseState()
  if (!state.refusesWrites) return
  await query(WRITE, [WRITE_PROBE])
  state.refusesWrites = false
}

const WRITE_PROBE = 'write-probe'
/** Large and incompressible: on a full disk a small row still fits into a page that its table has already. */
const WRITE = `insert into installation (key, value)
  select $1, string_agg(md5(random()::text), '') from generate_series(1, 2048)
  on conflict (key) do update set value = excluded.value`
