import 'server-only'
import { toSrt, toVtt } from '@/lib/contract/audio'
import { TranscriptionFields } from '@/lib/contract/audio.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import {
  fault,
  fileOf,
  MAX_RECORDING_BYTES,
  type Recording,
  recordedAudio,
  recordingOf,
  secondsAtMost,
  unusable,
} from '@/lib/endpoints/audio/recording'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import { parseWith, readForm } from '@/lib/pipeline/body'
import type { Quote } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { isSilent } from '@/lib/services/engines/embedded/transcription/transcription'
import { EngineError } from '@/lib/services/engines/engine'
import { type Recognised, type Timed, transcriptionEngineOf } from '@/lib/services/engines/transcription-engine'
import { type Meter, priceOf } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'
import { type MemoryReservation, withMemoryAndDeadline } from '@/lib/services/media/memory-budget'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import { secondLines } from '@/lib/services/models/type-parts'

export type TranscriptionRequest = TranscriptionFields & { recording: Recording }

const LISTS = new Set(['timestamp_granularities'])

/** @throws ApiError 415, 413 and 400 as `readForm`, and as `recordingOf`. */
export async function parseTranscription(context: RequestContext, request: Request): Promise<TranscriptionRequest> {
  const { file, fields } = await readForm(context, request, MAX_RECORDING_BYTES)
  const named = [...fields].map(([name, values]) => {
    const plain = name.replace(/\[\]$/, '')
    return [plain, LISTS.has(plain) ? values : values.at(-1)] as const
  })
  return { ...parseWith(TranscriptionFields, Object.fromEntries(named)), recording: recordingOf(file) }
}

export type TranscriptionWork = {
  model: Model
  recording: Recording
  language?: string
  format: TranscriptionFields['response_format']
  wantsTimes: boolean
  wantsWords: boolean
}

const FORMATS_WITH_TIMES: ReadonlySet<TranscriptionWork['format']> = new Set(['srt', 'vtt', 'verbose_json'])

/** Prices the longest that a recording may be: its length shows when it is read. */
export function quoteTranscription(
  body: TranscriptionRequest,
  caller: Caller,
  context: RequestContext,
): Quote<TranscriptionWork> {
  const model = resolveModel(body.model ?? 'default', { type: 'asr', caller, context })
  const { recording, language, response_format: format } = body
  return {
    requestId: requestIdOf(context, caller, 'asr'),
    model,
    amount: priceOf(secondLines(model, secondsAtMost(recording))),
    work: {
      model,
      recording,
      language,
      format,
      wantsTimes: body.timestamps || body.timestamp_granularities.length > 0 || FORMATS_WITH_TIMES.has(format),
      wantsWords: body.timestamp_granularities.includes('word'),
    },
  }
}

// Decoded sound: four bytes a sample, at 16,000 of them, as it is and on its way to the engine.
const BYTES_PER_SECOND = 2 * 4 * 16_000

export type Transcript = Recognised & { seconds: number }

/** Transcribes a recording. Nothing is charged unless there is a transcript. */
export const runTranscription = (
  work: TranscriptionWork,
  meter: Meter,
  _context: RequestContext,
  left: AbortSignal,
): Promise<Transcript> =>
  withMemoryAndDeadline(
    { accountId: meter.hold.accountId, left, timeoutError, toCallerError },
    async (memory, signal) => {
      memory.reserve(work.recording.bytes.length)
      const transcript = await transcribe(work, memory, signal)
      const lines = secondLines(work.model, transcript.seconds)
      meter.readWith(() => ({ lines, modelId: work.model.id, modelType: 'ASR' }))
      return transcript
    },
  )

async function transcribe(
  { model, recording, language, wantsTimes, wantsWords, format }: TranscriptionWork,
  memory: MemoryReservation,
  signal: AbortSignal,
): Promise<Transcript> {
  const { samples, seconds } = await recordedAudio(recording, signal)
  memory.reserve(seconds * BYTES_PER_SECOND)
  if (isSilent(samples)) throw unusable('The recording is silent. Check the microphone and send it again.')
  const file = fileOf(recording)
  const request = { model: model.upstreamModel, sound: samples, file, language, wantsTimes }
  const heard = await transcriptionEngineOf(model.engine).recognise(request, signal)
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

// Source: API contract, audio.md and README 7.3.
function toCallerError(error: unknown): unknown {
  if (error instanceof MediaError) return fault(error)
  if (!(error instanceof EngineError)) return error
  if (error.reason === 'invalid-request') return unusable(error.message, error)
  if (error.reason !== 'failed') return error
  return new ApiError('ASR_UPSTREAM_FAILED', 'The transcription failed. Try again.', { cause: error })
}

function timeoutError(): ApiError {
  return new ApiError(
    'REQUEST_TIMEOUT',
    `The transcription took longer than ${WHOLE_REPLY_DEADLINE_MS / 1000} s. Send a shorter recording.`,
  )
}

const PLAIN = 'text/plain; charset=utf-8'

export async function renderTranscription(output: Promise<Transcript>, work: TranscriptionWork): Promise<Reply> {
  const heard = await output
  switch (work.format) {
    case 'text':
      return { body: heard.text, contentType: PLAIN }
    case 'srt':
      return { body: toSrt(heard.segments ?? []), contentType: PLAIN }
    case 'vtt':
      return { body: toVtt(heard.segments ?? []), contentType: 'text/vtt; charset=utf-8' }
    case 'verbose_json':
      return jsonReply(verbose(heard))
    default:
      return jsonReply({
        text: heard.text,
        duration: rounded(heard.seconds),
        usage: usageOf(heard),
        timestamps: work.wantsTimes ? timestampsOf(heard) : undefined,
      })
  }
}

function timestampsOf({ segments, words }: Transcript) {
  return { word: words?.map(wordOf), segment: segments?.map(segmentOf) }
}

function verbose({ text, seconds, language, segments, words }: Transcript) {
  return {
    task: 'transcribe',
    language,
    duration: rounded(seconds),
    text,
    usage: usageOf({ seconds }),
    segments: (segments ?? []).map((segment, id) => ({ id, ...segmentOf(segment) })),
    words: words?.map(wordOf),
  }
}

// Charged seconds, in the form of OpenAI; `duration` is the length of the recording.
const usageOf = ({ seconds }: Pick<Transcript, 'seconds'>) => ({ type: 'duration', seconds: Math.ceil(seconds) })

const wordOf = ({ text, start, end }: Timed) => ({ word: text, start: rounded(start), end: rounded(end) })
const segmentOf = ({ text, start, end }: Timed) => ({ text, start: rounded(start), end: rounded(end) })

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000
