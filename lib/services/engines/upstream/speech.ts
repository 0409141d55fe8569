import 'server-only'
import type { Speaker } from '@/lib/services/engines/speech-engine'
import type { UpstreamCalls } from '@/lib/services/engines/upstream/http-client'

/** More than a quarter of an hour of sound that is not compressed. */
const MAX_REPLY_BYTES = 64_000_000

/** Reads aloud on an OpenAI-compatible server. The server is paid for the whole text as soon as it speaks. */
export function upstreamSpeaker(calls: UpstreamCalls): Speaker {
  return {
    async *speak({ model, text, voice, format, speed, style, isWhole }, signal) {
      const body = { model, input: text, voice, response_format: format, speed, ...(style && { instructions: style }) }
      const post = {
        path: '/audio/speech',
        contentType: 'application/json',
        accept: 'audio/*',
        body: Buffer.from(JSON.stringify(body)),
        maxReplyBytes: MAX_REPLY_BYTES,
      }
      if (isWhole) {
        yield { bytes: new Uint8Array(await calls.post(post, signal)), characters: text.length }
        return
      }
      let characters = text.length
      for await (const chunk of calls.stream(post, signal)) {
        yield { bytes: new Uint8Array(chunk), characters }
        characters = 0
      }
    },
  }
}
