import { DrizzleQueryError } from 'drizzle-orm/errors'

export const OUTAGE_RETRY_SECONDS = 2

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
  return find(error, (link) => isOwnOutage(link) || (isFromServer(link) && CONTENTION.test(codeOf(link))))
}

/** Compared by name: the server's bundle and Next's have a class each. */
function isOwnOutage(error: Error): boolean {
  if (error.name === 'DatabaseUnavailable') return true
  if (error instanceof DrizzleQueryError) return isDriverOutage(error.cause)
  return isFromServer(error) && OUTAGE.test(codeOf(error))
}

export function isDriverOutage(error: unknown): boolean {
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
