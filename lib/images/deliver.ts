import 'server-only'
import type { Meter } from '@/lib/billing/meter'
import { ApiError, type ErrorCode } from '@/lib/core/errors'
import { EngineError } from '@/lib/engines/engine'
import { busy } from '@/lib/images/source'
import { type Hand, openHand } from '@/lib/media/in-hand'
import { MediaError } from '@/lib/media/media-error'

/** Of an answer that is sent whole. Contract, README 15. */
const DEADLINE_MS = 120_000

type Wording = {
  /** What is under way, for messages: "The picture". */
  noun: string
  /** The contract's code for what failed behind us. */
  code: Extract<ErrorCode, 'INFERENCE_FAILED' | 'IMAGE_EDIT_ERROR' | 'UPSCALE_FAILED'>
}

/** Work on pictures within the deadline, with a hand that counts what is in memory; failures in the contract's terms. */
export async function withinDeadline<T>(
  meter: Meter,
  signal: AbortSignal,
  wording: Wording,
  work: (signal: AbortSignal, hand: Hand) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const hand = openHand(meter.hold.accountId)
  try {
    return await work(AbortSignal.any([signal, deadline]), hand)
  } catch (error) {
    if (deadline.aborted && !signal.aborted) {
      const message = `${wording.noun} was not ready in ${DEADLINE_MS / 1000} s. Ask for a smaller one.`
      throw new ApiError('REQUEST_TIMEOUT', message, { cause: error })
    }
    throw inTerms(error, wording)
  } finally {
    hand.close()
  }
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
