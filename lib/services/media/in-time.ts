import 'server-only'
import { type MemoryReservation, openMemoryReservation } from '@/lib/services/media/memory-budget'

type Bounds = {
  accountId: string
  /** The caller went away. */
  left: AbortSignal
  deadlineMs: number
  /** What the caller hears when the time is up. */
  tooLate: (cause: unknown) => unknown
  /** And of every other failure. */
  inTerms: (error: unknown) => unknown
}

/** Does work on media within a deadline, with a hand that counts what is in memory. */
export async function inTime<T>(
  bounds: Bounds,
  work: (hand: MemoryReservation, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { accountId, left, deadlineMs, tooLate, inTerms } = bounds
  const late = AbortSignal.timeout(deadlineMs)
  const hand = openMemoryReservation(accountId)
  try {
    return await work(hand, AbortSignal.any([left, late]))
  } catch (error) {
    throw late.aborted && !left.aborted ? tooLate(error) : inTerms(error)
  } finally {
    hand.close()
  }
}
