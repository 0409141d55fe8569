/** SQLSTATE classes and codes that say "not now", whatever the statement was. */
const OUTAGE = /^(08|53|57P|57014|58|XX)/

/** A lock that others kept for too long, or took in a circle: only this time, and nothing took effect. */
const CONTENTION = /^(55P03|40001|40P01)/

/**
 * Whether the database could not be asked, or did not get to answer, as opposed to having refused this statement. After an
 * outage it is unknown whether the statement took effect.
 */
export function isOutage(error: unknown): boolean {
  // Errors that the server sent carry a severity, on both drivers; everything else happened on the way to it.
  if (!(error instanceof Error) || !('severity' in error)) return true
  return OUTAGE.test(sqlState(error))
}

/** Whether the same statement may succeed a moment later: after an outage, or when others were in its way. */
export function isPassing(error: unknown): boolean {
  return isOutage(error) || CONTENTION.test(sqlState(error))
}

const sqlState = (error: unknown): string => String((error as { code?: unknown }).code)
