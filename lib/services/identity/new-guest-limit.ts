import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { memoryWindows, windowEnd, windowIsFull } from '@/lib/services/limits/limits'

const MAX_PER_ADDRESS = 200
const MAX = 1_000
const WINDOW_MS = 3_600_000

/** Counts a new guest. @throws ApiError RATE_LIMIT_EXCEEDED after too many in an hour, of one address or of all. */
export function countNewGuest(clientAddress: string, nowMs: number): void {
  const guests = perProcess('new-guests', () => memoryWindows())
  const endsAtMs = windowEnd(nowMs, WINDOW_MS)
  const takes = [guests.take(`of ${clientAddress}`, MAX_PER_ADDRESS, endsAtMs), guests.take('all', MAX, endsAtMs)]
  if (takes.every((result) => result.isAllowed)) return
  throw windowIsFull('Too many new guests in this hour. Go on with the session that you have.', endsAtMs, nowMs)
}
