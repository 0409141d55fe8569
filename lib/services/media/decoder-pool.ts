import 'server-only'
import { type ChildEnd, ProcessPool, type ProcessPoolOptions } from '@/lib/kernel/process-pool/pool'
import { MediaError, type MediaFailure } from '@/lib/services/media/media-error'

export type DecoderPool<Task extends object, Result> = ProcessPool<Task, Result, MediaFailure>

export type DecoderPoolOptions = Omit<ProcessPoolOptions<object, MediaFailure>, 'name' | 'deadlineMsOf' | 'errors'> & {
  noun: string
  deadlineMs: number
}

/**
 * Creates processes that decode pictures, audio or video. A task fails with a MediaError: the reason its process gives;
 * `timeout`; `too-large` when it needs too much memory; `corrupt` when it broke its decoder; `busy` at once when the
 * queue is full; `unavailable` when the process was ended otherwise.
 */
export function createDecoderPool<Task extends object, Result>(options: DecoderPoolOptions): DecoderPool<Task, Result> {
  const { noun, deadlineMs, ...others } = options
  return new ProcessPool<Task, Result, MediaFailure>({
    ...others,
    name: noun,
    deadlineMsOf: () => deadlineMs,
    errors: {
      refused: ({ reason, message, detail }) =>
        new MediaError(reason, message, detail === undefined ? {} : { cause: new Error(detail) }),
      unanswered: (end, cause) => unanswered(end, { noun, deadlineMs, cause }),
    },
  })
}

function unanswered(end: ChildEnd, about: { noun: string; deadlineMs: number; cause?: Error }): MediaError {
  const { noun, deadlineMs, cause } = about
  const options = cause && { cause }
  switch (end) {
    case 'busy':
      return new MediaError('busy', `Too many ${noun} files are being read at the moment. Try again in a few seconds.`)
    case 'timeout': {
      const seconds = Math.round(deadlineMs / 1000)
      return new MediaError('timeout', `Decoding the ${noun} took longer than ${seconds} seconds. Send a smaller one.`)
    }
    case 'memory': {
      const message = `Decoding the ${noun} needs more memory than is allowed. Send a smaller one.`
      return new MediaError('too-large', message, options)
    }
    case 'crash':
      return new MediaError('corrupt', `The ${noun} could not be decoded: it is damaged.`, options)
    default: {
      const message = `The ${noun} could not be decoded: the decoder broke off. Try again.`
      return new MediaError('unavailable', message, options)
    }
  }
}
