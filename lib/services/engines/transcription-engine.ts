import 'server-only'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, listeningEngine, upstreamClient } from '@/lib/services/engines/registry'
import { multipart, objectOf } from '@/lib/services/engines/upstream/bodies'
import { garbageError, UpstreamError } from '@/lib/services/engines/upstream/failures'
import type { UpstreamClient } from '@/lib/services/engines/upstream/http-client'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

type TranscribeRequest = {
  model: string
  /** Mono samples at 16 kHz, -1 to 1. */
  sound: Float32Array
  file: { bytes: Uint8Array<ArrayBuffer>; name: string; type: string }
  language?: string
  wantsTimes: boolean
}

/** Seconds from the beginning. */
export type Timed = { text: string; start: number; end: number }

export type Recognised = { text: string; language?: string; segments?: Timed[]; words?: Timed[] }

export interface TranscriptionEngine {
  recognise(request: TranscribeRequest, signal: AbortSignal): Promise<Recognised>
}

/** Finds the transcription engine of this name. @throws EngineError `offline` when there is none. */
export function transcriptionEngineOf(engine: string): TranscriptionEngine {
  if (engine !== EMBEDDED_ENGINE) return upstreamTranscriptionEngine(upstreamClient(engine))
  const embedded = listeningEngine()
  if (!embedded) throw new EngineError('offline', 'The transcription model is not available at the moment.')
  return {
    async recognise({ model, sound: audio, language: requestedLanguage, wantsTimes }, signal) {
      const request = { model, sound: audio, language: requestedLanguage }
      if (!wantsTimes) {
        const { text, language } = await embedded.transcribe(request, signal)
        return { text, ...(language && { language: languageName(language) }) }
      }
      const { segments, language } = await embedded.transcribeSegments(request, signal)
      const text = segments.map(({ text }) => text).join(' ')
      return { text, segments, ...(language && { language: languageName(language) }) }
    },
  }
}

const ENGLISH = new Intl.DisplayNames(['en'], { type: 'language' })

function languageName(language: string): string {
  return ENGLISH.of(language)?.toLowerCase() ?? language
}

const MAX_REPLY_BYTES = 16_000_000
const MAX_TIMED = 20_000

/** Transcribes on an OpenAI-compatible server. One that knows no times is asked again without them. */
export function upstreamTranscriptionEngine(calls: UpstreamClient): TranscriptionEngine {
  return {
    async recognise({ model, file, language, wantsTimes }, signal) {
      const ask = async (format: 'json' | 'verbose_json') => {
        const fields: [string, string][] = [
          ['model', model],
          ['response_format', format],
          ...(language === undefined ? [] : [['language', language] as [string, string]]),
        ]
        if (format === 'verbose_json') {
          for (const kind of ['segment', 'word']) fields.push(['timestamp_granularities[]', kind])
        }
        const { bytes, name: fileName, type } = file
        const form = multipart(fields, [{ name: 'file', bytes, fileName, type }])
        const accept = 'application/json'
        const post = { path: '/audio/transcriptions', accept, maxReplyBytes: MAX_REPLY_BYTES, ...form }
        return readReply(await calls.post(post, signal))
      }
      if (!wantsTimes) return ask('json')
      return ask('verbose_json').catch((error: unknown) => {
        if (error instanceof UpstreamError && error.reason === 'invalid-request') return ask('json')
        throw error
      })
    },
  }
}

function readReply(bytes: Buffer): Recognised {
  const reply = objectOf(bytes)
  if (typeof reply.text !== 'string') throw garbageError(new Error('The reply has no text'))
  return {
    text: reply.text.trim(),
    language: textOrUndefined(reply.language)?.slice(0, 40),
    segments: timedOf(reply.segments, 'text'),
    words: timedOf(reply.words, 'word'),
  }
}

function timedOf(value: unknown, name: 'text' | 'word'): Timed[] | undefined {
  if (!Array.isArray(value)) return undefined
  const timed = value.slice(0, MAX_TIMED).flatMap((one): Timed[] => {
    const fields: WireObject = isWireObject(one) ? one : {}
    const { start, end } = fields
    const text = textOrUndefined(fields[name])?.trim()
    if (text === undefined || typeof start !== 'number' || typeof end !== 'number') return []
    return start >= 0 && end >= start ? [{ text, start, end }] : []
  })
  return timed.length > 0 ? timed : undefined
}
