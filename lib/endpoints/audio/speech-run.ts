import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { type SpeechWork, speechLines } from '@/lib/endpoints/audio/speech-quote'
import type { RequestContext } from '@/lib/kernel/request-context'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { speakerOf } from '@/lib/services/engines/speech-engine'
import type { Meter } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'

/** Of an answer that is sent whole. Contract, README 15. */
const DEADLINE_MS = 120_000

/** The sound, piece by piece; a whole file is one piece. */
export type SpeechRun = AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>

/** Reads the text aloud. What was made is charged, sentence by sentence; a file that was not finished is free. */
export async function* runSpeech(
  work: SpeechWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): SpeechRun {
  const { model, isStreaming, text } = work
  const deadline = isStreaming ? undefined : AbortSignal.timeout(DEADLINE_MS)
  const request = { ...work, model: model.upstreamModel, isWhole: !isStreaming }
  let characters = 0
  let isFinished = false
  meter.read = () => {
    const units = isFinished ? text.length : Math.min(characters, text.length)
    return units > 0 ? { lines: speechLines(model, units), modelId: model.id, modelType: 'TTS' } : undefined
  }
  try {
    const signals = deadline ? AbortSignal.any([signal, deadline]) : signal
    for await (const part of speakerOf(model.engine).speak(request, signals)) {
      if (part.bytes.length === 0) continue
      characters += part.characters
      meter.mark()
      yield part.bytes
    }
  } catch (error) {
    if (deadline?.aborted && !signal.aborted) throw tooSlow()
    throw inTerms(error, model.engine)
  }
  if (characters === 0)
    throw invalidField(['input'], `holds nothing that ${model.id} can say; it may know no other language than English`)
  isFinished = true
}

/** Contract, audio.md: 502 when what speaks behind us fails. */
function inTerms(error: unknown, engine: string): unknown {
  if (error instanceof MediaError) {
    const options = { cause: error, retryAfterSeconds: error.reason === 'busy' ? 5 : undefined }
    return error.reason === 'busy'
      ? new ApiError('SERVICE_UNAVAILABLE', 'Too much speech is being made at the moment. Try again soon.', options)
      : new ApiError('INFERENCE_FAILED', 'The speech could not be written in this format. Try another one.', options)
  }
  if (error instanceof EngineError && error.reason === 'failed' && engine !== EMBEDDED_ENGINE) {
    return new ApiError('UPSTREAM_FAILED', 'The speech model failed for the moment. Try again.', { cause: error })
  }
  return error
}

function tooSlow(): ApiError {
  const seconds = DEADLINE_MS / 1000
  return new ApiError(
    'REQUEST_TIMEOUT',
    `The speech was not ready in ${seconds} s. Send less text, or "streaming": true.`,
  )
}
