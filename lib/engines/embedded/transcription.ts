import 'server-only'
import type { RoomState } from '@/lib/engines/embedded/lifecycle'
import { modelSlots } from '@/lib/engines/embedded/model-slots'
import { isSilent, piecesOf } from '@/lib/engines/embedded/sound-pieces'
import { TaskRoom } from '@/lib/engines/embedded/task-room'
import {
  SOUND_RATE,
  type TranscriptionInput,
  type TranscriptionOutput,
} from '@/lib/engines/embedded/transcription-protocol'
import { utterancesOf } from '@/lib/engines/embedded/utterances'
import { ensureWeights } from '@/lib/engines/embedded/weights'
import { EngineError, type TranscriptionEngine } from '@/lib/engines/engine'

export const TRANSCRIPTION_MODEL = 'moonshine-tiny'

/** The model was made with pieces of up to 30 seconds, and hears shorter ones better. */
const PIECE_SECONDS = 20
/** A piece takes about a second on two cores. */
const TASK_DEADLINE_MS = 60_000
const MAX_SOUND_SECONDS = 3_600
/** Requests that take turns, and those that wait behind them. */
const MAX_ACTIVE = 2
const MAX_QUEUED = 8
const IDLE_MS = 10 * 60_000

/** What was said between two pauses, in seconds from the beginning. */
export type HeardSegment = { text: string; start: number; end: number }

export type EmbeddedTranscription = TranscriptionEngine & {
  /** Cut at the speaker's own pauses, so that each text has the time in which it was said. */
  transcribeSegments(model: string, sound: Float32Array, signal: AbortSignal): Promise<HeardSegment[]>
  state(): RoomState
  close(): Promise<void>
}

/**
 * English speech to text by Moonshine tiny, in a child process (docs/adr/0001). Nothing is fetched or loaded before the
 * first request. Silence is no text.
 */
export function createTranscription(options: { dataDir: string; idleMs?: number }): EmbeddedTranscription {
  const { dataDir, idleMs = IDLE_MS } = options
  const places = modelSlots(MAX_ACTIVE, MAX_QUEUED)
  const room = new TaskRoom<TranscriptionInput, TranscriptionOutput>({
    name: TRANSCRIPTION_MODEL,
    entry: 'transcription-worker.ts',
    findWeights: (onProgress) => ensureWeights(TRANSCRIPTION_MODEL, { dataDir, onProgress }),
    maxActive: 1,
    // Each request has one task at a time, so the queue in front of the child never fills up.
    maxQueued: 2 * MAX_ACTIVE,
    idleMs,
    taskDeadlineMs: TASK_DEADLINE_MS,
  })

  /** Hears the pieces of a stretch of sound one after the other; silence is no text. */
  async function hear(sound: Float32Array, signal: AbortSignal): Promise<string> {
    const texts: string[] = []
    for (const samples of piecesOf(sound, PIECE_SECONDS * SOUND_RATE)) {
      if (isSilent(samples)) continue
      texts.push((await room.run({ samples }, signal)).text)
    }
    return texts.join(' ').replace(/\s+/g, ' ').trim()
  }

  async function inTurn<T>(
    model: string,
    sound: Float32Array,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    refuse(model, sound)
    const leave = await places.enter(signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    transcribe: (model, sound, signal) =>
      inTurn(model, sound, signal, async () => ({ text: await hear(sound, signal) })),
    transcribeSegments: (model, sound, signal) =>
      inTurn(model, sound, signal, async () => {
        const segments: HeardSegment[] = []
        for (const { start, end } of utterancesOf(sound)) {
          const text = await hear(sound.subarray(start, end), signal)
          if (text !== '') segments.push({ text, start: start / SOUND_RATE, end: end / SOUND_RATE })
        }
        return segments
      }),
    state: () => room.state(),
    close: () => room.close(),
  }
}

function refuse(model: string, sound: Float32Array): void {
  if (model !== TRANSCRIPTION_MODEL) throw new EngineError('offline', `There is no embedded speech model ${model}.`)
  if (sound.length <= MAX_SOUND_SECONDS * SOUND_RATE) return
  throw new EngineError('invalid-request', `The sound is longer than ${MAX_SOUND_SECONDS / 60} minutes. Send less.`)
}
