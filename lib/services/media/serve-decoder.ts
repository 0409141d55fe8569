import { type Refusal, serve } from '../../kernel/process-pool/child.ts'
import { MediaError, type MediaFailure } from './media-error.ts'

/** Serves a decoding process. Whatever `handle` throws that is no MediaError is taken for a fault of the file. */
export function serveDecoder<Task, Result>(noun: string, handle: (task: Task) => Promise<Result>): void {
  serve<Task, Result, MediaFailure>(handle, (error) => decoderRefusal(noun, error))
}

function decoderRefusal(noun: string, error: unknown): Refusal<MediaFailure> {
  const detail = error instanceof MediaError ? error.cause : error
  const failure = detail === undefined ? {} : { detail: String(detail instanceof Error ? detail.message : detail) }
  if (error instanceof MediaError) return { reason: error.reason, message: error.message, ...failure }
  return { reason: 'corrupt', message: `The ${noun} could not be decoded: it is damaged or incomplete.`, ...failure }
}
