import 'server-only'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { busy } from '@/lib/endpoints/images/source'
import { EngineError } from '@/lib/services/engines/engine'
import type { Meter } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'
import { inTime } from '@/lib/services/media/memory-budget'

/** Of an answer that is sent whole. Contract, README 15. */
const DEADLINE_MS = 120_000

type Wording = {
  /** What is under way, for messages: "The picture". */
  noun: string
  /** The contract's code for what failed behind us. */
  code: Extract<ErrorCode, 'INFERENCE_FAILED' | 'IMAGE_EDIT_ERROR' | 'UPSCALE_FAILED'>
}

/** Work on pictures within the deadline, with a hand that counts what is in memory; failures in the contract's terms. */
export function withinDeadline<T>(
  meter: Meter,
  left: AbortSignal,
  wording: Wording,
  work: (signal: AbortSignal, hand: MemoryReservation) => Promise<T>,
): Promise<T> {
  const bounds = {
    accountId: meter.hold.accountId,
    left,
    deadlineMs: DEADLINE_MS,
    tooLate: (cause: unknown) => tooLate(cause, wording),
    inTerms: (error: unknown) => inTerms(error, wording),
  }
  return inTime(bounds, (hand, signal) => work(signal, hand))
}

function tooLate(cause: unknown, { noun }: Wording): ApiError {
  const message = `${noun} was not ready in ${DEADLINE_MS / 1000} s. Ask for a smaller one.`
  return new ApiError('REQUEST_TIMEOUT', message, { cause })
}

function inTerms(error: unknown, { code }: Wording): unknown {
  if (error instanceof MediaError) {
    if (error.reason === 'busy' || error.reason === 'unavailable') return busy(error)
    return new ApiError(code, 'The picture could not be written. Try again, or in another format.', { cause: error })
  }
  if (error instanceof EngineError && error.reason === 'failed') {
    return new ApiError(code, error.message, { cause: error })
  }
  return error
}
