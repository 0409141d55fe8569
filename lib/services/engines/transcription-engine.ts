import 'server-only'
import { hex } from '@/lib/contract/ids'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, listeningEngine, upstreamClient } from '@/lib/services/engines/registry'
import { isWireObject, textOf, type WireObject } from '@/lib/services/engines/upstream/chat/wire-value'
import { garbageError, UpstreamError } from '@/lib/services/engines/upstream/failures'
import type { UpstreamClient } from '@/lib/services/engines/upstream/http-client'

type RecogniseRequest = {
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
  recognise(request: RecogniseRequest, signal: AbortSignal): Promise<Recognised>
}

/** Finds the transcription engine of this name.  @throws EngineError `offline` when there is none. */
export function recogniserOf(engine: string): TranscriptionEngine {
  if (engine !== EMBEDDED_ENGINE) return upstreamRecogniser(upstreamClient(engine))
  const embedded = listeningEngine()
  if (!embedded) throw new EngineError('offline', 'The model that hears is not available at the moment.')
  return {
    async recognise({ model, sound, language: said, wantsTimes }, signal) {
      const request = { model, sound, language: said }
      if (!wantsTimes) {
        const { text, language } = await embedded.transcribe(request, signal)
        return { text, ...(language && { language: nameOf(language) }) }
      }
      const { segments, language } = await embedded.transcribeSegments(request, signal)
      const text = segments.map(({ text }) => text).join(' ')
      return { text, segments, ...(language && { language: nameOf(language) }) }
    },
  }
}

const ENGLISH = new Intl.DisplayNames(['en'], { type: 'language' })

function nameOf(language: string): string {
  return ENGLISH.of(language)?.toLowerCase() ?? language
}

const MAX_REPLY_BYTES = 16_000_000
const MAX_TIMED = 20_000

/** Transcribes on an OpenAI-compatible server. One that knows no times is asked again without them. */
export function upstreamRecogniser(calls: UpstreamClient): TranscriptionEngine {
  return {
    async recognise({ model, file, language, wantsTimes }, signal) {
      const ask = async (format: 'json' | 'verbose_json') => {
        const boundary = `lagoon-${hex(16)}`
        const fields: [string, string][] = [
          ['model', model],
          ['response_format', format],
          ...(language === undefined ? [] : [['language', language] as [string, string]]),
        ]
        if (format === 'verbose_json') {
          for (const kind of ['segment', 'word']) fields.push(['timestamp_granularities[]', kind])
        }
        const post = {
          path: '/audio/transcriptions',
          contentType: `multipart/form-data; boundary=${boundary}`,
          accept: 'application/json',
          body: formOf(boundary, fields, file),
          maxReplyBytes: MAX_REPLY_BYTES,
        }
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

function formOf(boundary: string, fields: [string, string][], file: { bytes: Uint8Array; name: string; type: string }) {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`
  return Buffer.concat([Buffer.from(parts.join('') + head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

function readReply(bytes: Buffer): Recognised {
  let reply: unknown
  try {
    reply = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw garbageError(error)
  }
  if (!isWireObject(reply) || typeof reply.text !== 'string') throw garbageError(new Error('The reply has no text'))
  return {
    text: reply.text.trim(),
    language: textOf(reply.language)?.slice(0, 40),
    segments: timedOf(reply.segments, 'text'),
    words: timedOf(reply.words, 'word'),
  }
}

function timedOf(value: unknown, name: 'text' | 'word'): Timed[] | undefined {
  if (!Array.isArray(value)) return undefined
  const timed = value.slice(0, MAX_TIMED).flatMap((one): Timed[] => {
    const fields: WireObject = isWireObject(one) ? one : {}
    const { start, end } = fields
    const text = textOf(fields[name])?.trim()
    if (text === undefined || typeof start !== 'number' || typeof end !== 'number') return []
    return start >= 0 && end >= start ? [{ text, start, end }] : []
  })
  return timed.length > 0 ? timed : undefined
}
