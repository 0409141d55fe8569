import 'server-only'
import { hex } from '@/lib/contract/ids'
import type { Recognised, Recogniser, Timed } from '@/lib/services/engines/transcription-engine'
import { isWireObject, textOf, type WireObject } from '@/lib/services/engines/upstream/chat/wire-value'
import { garbageError, UpstreamError } from '@/lib/services/engines/upstream/failures'
import type { UpstreamCalls } from '@/lib/services/engines/upstream/http-client'

const MAX_REPLY_BYTES = 16_000_000
/** Half an hour of words. */
const MAX_TIMED = 20_000

/** Has speech written down by an OpenAI-compatible server. One that knows no times is asked again without them. */
export function upstreamRecogniser(calls: UpstreamCalls): Recogniser {
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

/** Nothing where there are none, or where they cannot be true. */
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
