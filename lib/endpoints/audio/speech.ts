import 'server-only'
import { SPEECH_TYPES, type SpeechFormat } from '@/lib/contract/audio'
import type { SpeechRequest } from '@/lib/contract/audio.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import { busyError } from '@/lib/pipeline/error-response'
import type { Quote } from '@/lib/pipeline/metered'
import type { Reply } from '@/lib/pipeline/reply'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { speechEngineOf } from '@/lib/services/engines/speech-engine'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { SpeechPart } from '@/lib/services/models/type-parts'

// A service may know thousands.
const MAX_NAMED_VOICES = 60

export type SpeechWork = {
  model: Model
  text: string
  voice: string
  format: SpeechFormat
  speed: number
  isStreaming: boolean
  style?: string
}

export function quoteSpeech(body: SpeechRequest, caller: Caller, context: RequestContext): Quote<SpeechWork> {
  const model = resolveModel(body.model ?? 'default', { type: 'tts', caller, context })
  // Every model of the type has it.
  const can = model.speech as SpeechPart
  return {
    requestId: requestIdOf(context, caller, 'speech'),
    model,
    amount: priceOf(speechLines(model, body.input.length)),
    work: {
      model,
      text: body.input,
      voice: voiceOf(body.voice, model, can),
      format: formatOf(body.response_format, model, can),
      speed: body.speed,
      isStreaming: body.streaming,
      style: body.prompt,
    },
  }
}

function speechLines(model: Model, characters: number): PricedUnits[] {
  return model.inputRate ? [{ sku: `${model.id}-tts-input-mchar`, units: characters, price: model.inputRate }] : []
}

function voiceOf(asked: string | undefined, model: Model, { voices, takesForeignVoices }: SpeechPart): string {
  if (asked === undefined) {
    if (voices[0] !== undefined) return voices[0]
    throw invalidField(['voice'], `is required: ${model.id} has no default voice`)
  }
  if (voices.length === 0 || voices.includes(asked) || takesForeignVoices) return asked
  const rest = voices.length - MAX_NAMED_VOICES
  const named = voices.slice(0, MAX_NAMED_VOICES).join(', ')
  throw invalidField(
    ['voice'],
    `is not a voice of ${model.id}; use one of ${named}${rest > 0 ? ` and ${rest} more` : ''}`,
  )
}

function formatOf(asked: SpeechFormat | undefined, model: Model, { formats, defaultFormat }: SpeechPart): SpeechFormat {
  if (asked === undefined) return defaultFormat
  if (formats.includes(asked)) return asked
  throw invalidField(['response_format'], `is not supported by ${model.id} here; use one of ${formats.join(', ')}`)
}

/** Pieces of the sound; a whole file is one piece. */
export type SpeechRun = AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>

/** Generates the speech. A stream is charged sentence by sentence; a file that was not finished is free. */
export async function* runSpeech(
  work: SpeechWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): SpeechRun {
  const { model, isStreaming, text } = work
  const deadline = isStreaming ? undefined : AbortSignal.timeout(WHOLE_REPLY_DEADLINE_MS)
  const request = { ...work, model: model.upstreamModel, isWhole: !isStreaming }
  let characters = 0
  let isFinished = false
  meter.readWith(() => {
    const units = isFinished ? text.length : Math.min(characters, text.length)
    return units > 0 ? { lines: speechLines(model, units), modelId: model.id, modelType: 'TTS' } : undefined
  })
  try {
    const signals = deadline ? AbortSignal.any([signal, deadline]) : signal
    for await (const part of speechEngineOf(model.engine).speak(request, signals)) {
      if (part.bytes.length === 0) continue
      characters += part.characters
      meter.mark()
      yield part.bytes
    }
  } catch (error) {
    if (deadline?.aborted && !signal.aborted) throw tooSlow()
    throw toCallerError(error, model.engine)
  }
  if (characters === 0)
    throw invalidField(['input'], `contains nothing that ${model.id} can speak; the model may support English only`)
  isFinished = true
}

// Source: API contract, audio.md: 502 when the engine fails.
function toCallerError(error: unknown, engine: string): unknown {
  if (error instanceof MediaError) {
    if (error.reason === 'busy') {
      return busyError(error, 'Too many speech requests at the moment. Try again in a few seconds.')
    }
    const message = 'The speech could not be written in this format. Try another one.'
    return new ApiError('INFERENCE_FAILED', message, { cause: error })
  }
  if (error instanceof EngineError && error.reason === 'failed' && engine !== EMBEDDED_ENGINE) {
    return new ApiError('UPSTREAM_FAILED', 'The speech model failed. Try again.', { cause: error })
  }
  return error
}

function tooSlow(): ApiError {
  const seconds = WHOLE_REPLY_DEADLINE_MS / 1000
  return new ApiError(
    'REQUEST_TIMEOUT',
    `The speech was not ready in ${seconds} s. Send less text, or "streaming": true.`,
  )
}

// No cache may keep a stream and no proxy may buffer it.
const STREAM_HEADERS = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' }

/** Renders a file or a stream; waits for the first piece, so that a failure has its status. */
export async function renderSpeech(run: SpeechRun, { format, isStreaming }: SpeechWork): Promise<Reply> {
  const contentType = SPEECH_TYPES[format]
  const first = await run.next()
  const body = first.value ?? new Uint8Array(0)
  if (isStreaming) return { body: following(body, run), contentType, headers: STREAM_HEADERS }
  // The run is over only when it has been asked for more.
  await run.next()
  return { body, contentType, headers: { 'Content-Length': String(body.length) } }
}

async function* following(first: Uint8Array<ArrayBuffer>, run: SpeechRun): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield first
    yield* run
  } finally {
    await run.return()
  }
}
