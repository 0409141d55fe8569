import { ApiError, invalidField } from '@/lib/contract/errors'
import type { MediaError } from '@/lib/services/media/media-error'
import { shownName } from '@/lib/services/models/resolve'

const RETRY_AFTER_SECONDS = 5

export const characterNotFound = (slug: string): ApiError =>
  new ApiError(
    'CHARACTER_NOT_FOUND',
    `There is no character "${shownName(slug)}" that you may use. GET /characters lists them.`,
  )

/** A picture that cannot be used, or not now. */
export function pictureFault(error: MediaError): ApiError {
  if (!isPassing(error)) return invalidField(['picture'], error.message)
  return new ApiError('SERVICE_UNAVAILABLE', error.message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** Not the picture's fault: the same may work in a moment. */
export const isPassing = ({ reason }: MediaError): boolean => reason === 'busy' || reason === 'unavailable'
