import 'server-only'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, listeningEngine } from '@/lib/services/engines/registry'
import { upstreamCalls } from '@/lib/services/engines/upstream/http-client-registry'
import { upstreamRecogniser } from '@/lib/services/engines/upstream/transcription'

type RecogniseRequest = {
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

/** As replies of the common convention name a language: "english". */
function nameOf(language: string): string {
  return ENGLISH.of(language)?.toLowerCase() ?? language
}
