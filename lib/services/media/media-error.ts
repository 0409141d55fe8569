export type MediaFailure =
  | 'corrupt'
  | 'too-small'
  | 'too-large'
  | 'too-long'
  | 'unsupported'
  | 'unavailable'
  | 'timeout'
  | 'busy'

// A file that could not be used. `message` is safe to show: it repeats nothing of the file.
export class MediaError extends Error {
  override name = 'MediaError'
  readonly reason: MediaFailure

  constructor(reason: MediaFailure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}
