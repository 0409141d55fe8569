import 'server-only'
import type { EmbeddedModelState } from '@/lib/services/engines/embedded/lifecycle'
import { modelSlots } from '@/lib/services/engines/embedded/lifecycle'
import { KOKORO_VOICES } from '@/lib/services/engines/embedded/speech/voices'
import { TaskPool } from '@/lib/services/engines/embedded/task-pool'
import type { SpeechInput, SpeechOutput } from '@/lib/services/engines/embedded/task-protocol'
import type { SpeechWeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { EngineError } from '@/lib/services/engines/engine'

// The lean model is half as large and takes two to three times as long.
const WEIGHTS_OF: Record<'standard' | 'lean', SpeechWeightsName> = { standard: 'kokoro-82m', lean: 'kokoro-82m-q8' }

const MAX_SENTENCE_CHARACTERS = 250
const TASK_DEADLINE_MS = 120_000
const MAX_ACTIVE = 2
const MAX_QUEUED = 8
const IDLE_MS = 10 * 60_000

const LISTENER_STALL_MS = 120_000

export const SPEEDS = { least: 0.5, normal: 1, most: 2 }

export type EmbeddedSpeech = {
  /** Yields mono samples at 24 kHz, -1 to 1, a sentence at a time. */
  speak(
    request: { text: string; voice: string; speed?: number },
    signal: AbortSignal,
  ): AsyncGenerator<{ samples: Float32Array; text: string }, void, void>
  state(): EmbeddedModelState
  close(): Promise<void>
}

type SpeechOptions = { dataDir: string; profile: 'standard' | 'lean' }

/**
 * Speaks English text with Kokoro, in a child process (docs/adr/0001). Nothing is fetched or loaded before the first
 * request. Each sentence is read when the one before has been taken.
 */
export function createSpeech({ dataDir, profile }: SpeechOptions): EmbeddedSpeech {
  const name = WEIGHTS_OF[profile]
  const places = modelSlots(MAX_ACTIVE, MAX_QUEUED)
  const pool = new TaskPool<SpeechInput, SpeechOutput>({
    name,
    entry: 'speech/speech-worker.ts',
    findWeights: (onProgress) => ensureWeights(name, { dataDir, onProgress }),
    maxActive: 1,
    // Each request has one task at a time, so the queue in front of the child never fills up.
    maxQueued: 2 * MAX_ACTIVE,
    idleMs: IDLE_MS,
    taskDeadlineMs: TASK_DEADLINE_MS,
  })
  const speak: EmbeddedSpeech['speak'] = async function* ({ text, voice, speed = SPEEDS.normal }, signal) {
    signal.throwIfAborted()
    refuse(voice, speed)
    const leave = await places.acquire(signal)
    const isGivenUp = new AbortController()
    const either = AbortSignal.any([signal, isGivenUp.signal])
    try {
      for (const sentence of sentencesOf(text, MAX_SENTENCE_CHARACTERS)) {
        const { samples } = await pool.run({ text: sentence, voice, speed }, either)
        if (samples.length === 0) continue
        const stall = setTimeout(() => {
          isGivenUp.abort(new EngineError('timeout', 'The speech was not taken for two minutes.'))
          leave()
        }, LISTENER_STALL_MS).unref()
        try {
          yield { samples, text: sentence }
        } finally {
          clearTimeout(stall)
        }
      }
    } finally {
      leave()
    }
  }

  return { speak, state: () => pool.state(), close: () => pool.close() }
}

function refuse(voice: string, speed: number): void {
  if (!(KOKORO_VOICES as readonly string[]).includes(voice)) {
    throw new EngineError('invalid-request', `There is no such voice. Voices: ${KOKORO_VOICES.join(', ')}.`)
  }
  if (speed >= SPEEDS.least && speed <= SPEEDS.most) return
  throw new EngineError('invalid-request', `The speed must be from ${SPEEDS.least} to ${SPEEDS.most}.`)
}

const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Rev|St|Mt|Jr|Sr|vs|etc|approx|e\.g|i\.e|No|Fig|[A-Z])\.\s*$/

/**
 * Splits text into sentences of at most `maxCharacters`, longer ones at a comma, a space or wherever they must be.
 * Paragraphs and lines end sentences. Nothing comes out empty, and only white space is lost.
 */
export function* sentencesOf(text: string, maxCharacters: number): Generator<string> {
  let pending = ''
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    pending += segment
    if (ABBREVIATION.test(pending.slice(-20)) && pending.length < maxCharacters) continue
    yield* split(pending, maxCharacters)
    pending = ''
  }
  yield* split(pending, maxCharacters)
}

function* split(sentence: string, maxCharacters: number): Generator<string> {
  let rest = sentence.trim()
  while (rest.length > maxCharacters) {
    const end = placeToSplit(rest.slice(0, maxCharacters))
    yield rest.slice(0, end).trim()
    rest = rest.slice(end).trim()
  }
  if (rest !== '') yield rest
}

function placeToSplit(text: string): number {
  for (const mark of [/[,;:–—](?=\s)[^,;:–—]*$/, /\s\S*$/]) {
    const place = text.search(mark)
    if (place >= text.length / 2) return place + 1
  }
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length
}
