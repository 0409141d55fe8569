/** SQLSTATE classes and codes that say "not now", whatever the statement was. */
const OUTAGE = /^(08|53|57P|57014|58|XX)/

/**
 * Whether the database could not be asked, or did not get to answer, as opposed to having refused this statement. After an
 * outage it is unknown whether the statement took effect.
 */
export function isOutage(error: unknown): boolean {
  // Errors that the server sent carry a severity, on both drivers; everything else happened on the way to it.
  if (!(error instanceof Error) || !('severity' in error)) return true
  return OUTAGE.test(String((error as { code?: unknown }).code))
}
