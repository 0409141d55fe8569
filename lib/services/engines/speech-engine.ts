import 'server-only'
import type { SpeechFormat } from '@/lib/contract/audio'
import { SPEEDS } from '@/lib/services/engines/embedded/speech/speech'
import { unavailable } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, speechEngine, upstreamClient } from '@/lib/services/engines/registry'
import { jsonPost } from '@/lib/services/engines/upstream/bodies'
import type { UpstreamClient } from '@/lib/services/engines/upstream/http-client'
import { createSpeechEncoder, stretch } from '@/lib/services/media/speech-encoder'
import { joined } from '@/lib/services/media/wav'

type SpeakRequest = {
  model: string
  text: string
  voice: string
  format: SpeechFormat
  /** From 0.25 to 4; 1 is natural. */
  speed: number
  /** All at once, as a file that knows its length; otherwise as it is made. */
  isWhole: boolean
  style?: string
}

export type SpokenPart = { bytes: Uint8Array<ArrayBuffer>; characters: number }

export interface SpeechEngine {
  /** Ends without a part where there is nothing that the voice can say. @throws EngineError, MediaError */
  speak(request: SpeakRequest, signal: AbortSignal): AsyncGenerator<SpokenPart, void, void>
}

const RATE = 24_000

/** Finds the speech engine of this name. @throws EngineError `offline` when there is none. */
export function speechEngineOf(engine: string): SpeechEngine {
  if (engine !== EMBEDDED_ENGINE) return upstreamSpeechEngine(upstreamClient(engine))
  const embedded = speechEngine()
  if (!embedded) throw unavailable('speech model')
  return {
    async *speak(request, signal) {
      const { text, voice, format, speed, isWhole } = request
      const own = Math.min(SPEEDS.most, Math.max(SPEEDS.least, speed))
      const encoder = createSpeechEncoder(format, RATE, { isWhole })
      const chunks: Float32Array[] = []
      for await (const part of embedded.speak({ text, voice, speed: own }, signal)) {
        const samples = stretch(part.samples, RATE, own / speed)
        if (isWhole) chunks.push(samples)
        else yield { bytes: await encoder.add(samples, signal), characters: part.text.length }
      }
      if (chunks.length > 0) {
        const bytes = Buffer.concat([await encoder.add(joined(chunks), signal), encoder.end()])
        yield { bytes, characters: text.length }
      } else if (!isWhole) {
        yield { bytes: encoder.end(), characters: 0 }
      }
    },
  }
}

const MAX_REPLY_BYTES = 64_000_000

function upstreamSpeechEngine(calls: UpstreamClient): SpeechEngine {
  return {
    async *speak({ model, text, voice, format, speed, style, isWhole }, signal) {
      const body = { model, input: text, voice, response_format: format, speed, ...(style && { instructions: style }) }
      const post = jsonPost('/audio/speech', body, MAX_REPLY_BYTES, 'audio/*')
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
