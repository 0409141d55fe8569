import 'server-only'
import { EngineError } from '@/lib/engines/engine'
import { EMBEDDED_ENGINE, listeningEngine } from '@/lib/engines/registry'
import { upstreamCalls } from '@/lib/engines/upstream/calls-of'
import { upstreamRecogniser } from '@/lib/engines/upstream/transcription'

export type RecogniseRequest = {
  /** The engine's own name of the model. */
  model: string
  /** Mono samples at 16 kHz, -1 to 1. */
  sound: Float32Array
  /** The same as it was sent, for engines that read files themselves. */
  file: { bytes: Uint8Array<ArrayBuffer>; name: string; type: string }
  /** What the speaker is said to speak: ISO 639-1. */
  language?: string
  wantsTimes: boolean
}

/** Seconds from the beginning. */
export type Timed = { text: string; start: number; end: number }

/** What was said. Times are there where the engine truly has them. */
export type Recognised = { text: string; language?: string; segments?: Timed[]; words?: Timed[] }

export interface Recogniser {
  /** @throws EngineError */
  recognise(request: RecogniseRequest, signal: AbortSignal): Promise<Recognised>
}

/**
 * What writes down speech under this engine's name.
 *
 * @throws EngineError `offline` when there is none.
 */
export function recogniserOf(engine: string): Recogniser {
  if (engine !== EMBEDDED_ENGINE) return upstreamRecogniser(upstreamCalls(engine))
  const embedded = listeningEngine()
  if (!embedded) throw new EngineError('offline', 'The model that hears is not available at the moment.')
  return {
    async recognise({ model, sound, wantsTimes }, signal) {
      if (!wantsTimes) return { ...(await embedded.transcribe(model, sound, signal)), language: EMBEDDED_LANGUAGE }
      const segments = await embedded.transcribeSegments(model, sound, signal)
      return { text: segments.map(({ text }) => text).join(' '), segments, language: EMBEDDED_LANGUAGE }
    },
  }
}

/** The embedded model knows no other. */
const EMBEDDED_LANGUAGE = 'english'
