import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { fault, fileOf, soundOfRecording, unusable } from '@/lib/endpoints/audio/recording'
import { type TranscriptionWork, transcriptionLines } from '@/lib/endpoints/audio/transcription-quote'
import type { RequestContext } from '@/lib/kernel/request-context'
import { isSilent } from '@/lib/services/engines/embedded/transcription/transcription'
import { EngineError } from '@/lib/services/engines/engine'
import { type Recognised, recogniserOf } from '@/lib/services/engines/transcription-engine'
import type { Meter } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'
import { inTime } from '@/lib/services/media/memory-budget'

/** Of an answer that is sent whole. Contract, README 15. */
const DEADLINE_MS = 120_000
/** Of decoded sound in memory: four bytes a sample, at 16,000 of them, as it is and on its way to the engine. */
const BYTES_PER_SECOND = 2 * 4 * 16_000

export type Transcript = Recognised & { seconds: number }

/** Writes down what was said. Nothing is charged unless there is a transcript. */
export const runTranscription = (
  work: TranscriptionWork,
  meter: Meter,
  _context: RequestContext,
  left: AbortSignal,
): Promise<Transcript> =>
  inTime({ accountId: meter.hold.accountId, left, deadlineMs: DEADLINE_MS, tooLate, inTerms }, async (hand, signal) => {
    hand.reserve(work.recording.bytes.length)
    const transcript = await transcribe(work, hand, signal)
    const lines = transcriptionLines(work.model, transcript.seconds)
    meter.read = () => ({ lines, modelId: work.model.id, modelType: 'ASR' })
    return transcript
  })

async function transcribe(
  { model, recording, language, wantsTimes, wantsWords, format }: TranscriptionWork,
  hand: MemoryReservation,
  signal: AbortSignal,
): Promise<Transcript> {
  const { samples, seconds } = await soundOfRecording(recording, signal)
  hand.reserve(seconds * BYTES_PER_SECOND)
  if (isSilent(samples)) throw unusable('The recording is silent. Check the microphone and send it again.')
  const file = fileOf(recording)
  const request = { model: model.upstreamModel, sound: samples, file, language, wantsTimes }
  const heard = await recogniserOf(model.engine).recognise(request, signal)
  if ((format === 'srt' || format === 'vtt') && heard.text !== '' && !heard.segments) {
    throw invalidField(['response_format'], `needs times, which ${model.id} does not give; choose json or text`)
  }
  if (wantsWords && heard.text !== '' && !heard.words) {
    throw invalidField(
      ['timestamp_granularities'],
      `needs times of words, which ${model.id} does not give; choose segment`,
    )
  }
  return { ...heard, seconds }
}

/** Source: API contract, audio.md and README 7.3. */
function inTerms(error: unknown): unknown {
  if (error instanceof MediaError) return fault(error)
  if (!(error instanceof EngineError)) return error
  if (error.reason === 'invalid-request') return unusable(error.message, error)
  if (error.reason !== 'failed') return error
  return new ApiError('ASR_UPSTREAM_FAILED', 'The model that hears failed for the moment. Try again.', { cause: error })
}

function tooLate(): ApiError {
  return new ApiError('REQUEST_TIMEOUT', `Writing it down took longer than ${DEADLINE_MS / 1000} s. Send less at once.`)
}
