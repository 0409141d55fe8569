import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { FetchRefused } from '@/lib/kernel/safe-fetch/safe-fetch'
import { ExtractionError } from '@/lib/services/documents/text-parser'
import { MediaError } from '@/lib/services/media/media-error'

const RETRY_AFTER_SECONDS = 5

/** What went wrong with a part of a message, as the caller hears it: the code of the contract, and which part it was. */
export function mediaFault(error: unknown, path: (string | number)[]): unknown {
  if (error instanceof FetchRefused)
    return fault('INVALID_REQUEST', error, [...path, path.at(-1) === 'file' ? 'file_data' : 'url'])
  if (error instanceof ExtractionError)
    return error.reason === 'busy' ? busy(error) : fault('INVALID_REQUEST', error, path)
  if (error instanceof MediaError)
    return error.reason === 'busy' ? busy(error) : fault(codeOf(error, path), error, path)
  return error
}

/** Source: API contract, README 7.3. */
function codeOf({ reason }: MediaError, path: (string | number)[]): ErrorCode {
  const type = path.at(-1)
  const isNone = reason === 'corrupt' || reason === 'unsupported'
  if (type === 'input_audio') return isNone ? 'INVALID_AUDIO_FORMAT' : 'INVALID_REQUEST'
  if (type === 'video_url') {
    if (reason === 'too-long') return 'VIDEO_DURATION_TOO_LONG'
    return isNone ? 'INVALID_VIDEO_FORMAT' : 'INVALID_REQUEST'
  }
  if (reason === 'too-small') return 'IMAGE_TOO_SMALL'
  if (reason === 'too-large') return 'IMAGE_TOO_LARGE'
  return reason === 'corrupt' ? 'CORRUPTED_IMAGE' : 'INVALID_REQUEST'
}

function fault(code: ErrorCode, error: Error, path: (string | number)[]): ApiError {
  const message = code === 'INVALID_REQUEST' ? 'Invalid request parameters' : error.message
  return new ApiError(code, message, { issues: [{ code: 'custom', path, message: error.message }], cause: error })
}

function busy(error: Error): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', error.message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error })
}
