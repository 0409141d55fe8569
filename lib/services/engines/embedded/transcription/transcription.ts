import 'server-only'
import { type InstalledSpeechModel, keepInLine } from '@/lib/services/engines/embedded/hub/chat-models'
import { type EmbeddedModelState, modelSlots } from '@/lib/services/engines/embedded/lifecycle'
import type { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import { TaskPool, type TaskPoolOptions } from '@/lib/services/engines/embedded/task-pool'
import {
  AUDIO_SAMPLE_RATE,
  type TranscriptionInput,
  type TranscriptionOutput,
} from '@/lib/services/engines/embedded/task-protocol'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { EngineError } from '@/lib/services/engines/engine'

const MOONSHINE = { entry: 'transcription/moonshine-worker.ts', pieceSeconds: 20 } as const
const WHISPER = { entry: 'transcription/whisper-worker.ts', pieceSeconds: 28 } as const

const TASK_DEADLINE_MS = 60_000
/** A piece takes a processor as much longer as the model is larger. */
const HUB_BYTES_PER_DEADLINE_SECOND = 3_000_000
const MAX_AUDIO_SECONDS = 3_600
const MAX_ACTIVE = 2
const MAX_QUEUED = 8
const IDLE_MS = 10 * 60_000

type Segment = { text: string; start: number; end: number }

type TranscriptionRequest = { model: string; sound: Float32Array; language?: string | undefined }

export type EmbeddedTranscription = {
  transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<TranscriptionOutput>
  transcribeSegments(
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): Promise<{ segments: Segment[]; language?: string }>
  /** Offers these models of the hub, and ends those that are no longer among them. */
  setInstalled(models: readonly InstalledSpeechModel[]): void
  /** @returns undefined for a model that is not there */
  state(model: string): EmbeddedModelState | undefined
  close(): Promise<void>
}

type Pool = TaskPool<TranscriptionInput, TranscriptionOutput>
/** `version` is that of a model of the hub. */
type Model = { pool: Pool; pieceSeconds: number; version?: string }
type Kind = typeof MOONSHINE | typeof WHISPER

type TranscriptionOptions = { dataDir: string; budget?: MemoryBudget }

/**
 * Transcribes with Moonshine tiny (English), Whisper tiny and the Whisper models of the hub that are installed, each in a
 * child process (docs/adr/0001). Nothing is fetched or loaded before the first request. Silence is no text.
 */
export function createTranscription({ dataDir, budget }: TranscriptionOptions): EmbeddedTranscription {
  const places = modelSlots(MAX_ACTIVE, MAX_QUEUED)
  const poolOf = (
    name: string,
    { entry }: Kind,
    more: Pick<TaskPoolOptions, 'findWeights' | 'taskDeadlineMs' | 'memory'>,
  ): Pool =>
    new TaskPool({
      name,
      entry,
      maxActive: 1,
      // Each request has one task at a time, so the queue in front of the child never fills up.
      maxQueued: 2 * MAX_ACTIVE,
      idleMs: IDLE_MS,
      ...more,
    })
  const ownModel = (name: 'moonshine-tiny' | 'whisper-tiny', kind: Kind): [string, Model] => {
    const findWeights: TaskPoolOptions['findWeights'] = (onProgress) => ensureWeights(name, { dataDir, onProgress })
    const pool = poolOf(name, kind, { findWeights, taskDeadlineMs: TASK_DEADLINE_MS })
    return [name, { pool, pieceSeconds: kind.pieceSeconds }]
  }
  const hubModel = ({ name, version, paths, weightBytes, neededBytes }: InstalledSpeechModel): Model => ({
    version,
    pieceSeconds: WHISPER.pieceSeconds,
    pool: poolOf(name, WHISPER, {
      findWeights: async () => paths,
      taskDeadlineMs: TASK_DEADLINE_MS + (weightBytes / HUB_BYTES_PER_DEADLINE_SECOND) * 1_000,
      memory: budget && { budget, bytesOf: () => neededBytes, isRequired: false },
    }),
  })
  const models = new Map([ownModel('moonshine-tiny', MOONSHINE), ownModel('whisper-tiny', WHISPER)])

  async function transcribePieces(
    { pool, pieceSeconds }: Model,
    audio: Float32Array,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<TranscriptionOutput> {
    const texts: string[] = []
    let spoken = language
    for (const samples of piecesOf(audio, pieceSeconds * AUDIO_SAMPLE_RATE)) {
      if (isSilent(samples)) continue
      const output = await pool.run({ samples, ...(spoken !== undefined && { language: spoken }) }, signal)
      texts.push(output.text)
      spoken = output.language ?? spoken
    }
    return { text: texts.join(' ').replace(/\s+/g, ' ').trim(), ...(spoken !== undefined && { language: spoken }) }
  }

  async function inTurn<T>(
    { model: name, sound: audio }: TranscriptionRequest,
    signal: AbortSignal,
    work: (model: Model) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const model = models.get(name)
    if (!model) throw new EngineError('offline', `There is no embedded speech model ${name}.`)
    refuseTooLong(audio)
    const leave = await places.acquire(signal)
    try {
      return await work(model)
    } finally {
      leave()
    }
  }

  return {
    transcribe: (request, signal) =>
      inTurn(request, signal, (model) => transcribePieces(model, request.sound, request.language, signal)),
    transcribeSegments: (request, signal) =>
      inTurn(request, signal, async (model) => {
        const segments: Segment[] = []
        let spoken = request.language
        for (const { start, end } of utterancesOf(request.sound)) {
          const { text, language } = await transcribePieces(model, request.sound.subarray(start, end), spoken, signal)
          spoken = language ?? spoken
          if (text !== '') segments.push({ text, start: start / AUDIO_SAMPLE_RATE, end: end / AUDIO_SAMPLE_RATE })
        }
        return { segments, ...(spoken !== undefined && { language: spoken }) }
      }),
    setInstalled: (installed) =>
      keepInLine(models, installed, { start: hubModel, end: ({ pool }) => void pool.close() }),
    state: (model) => models.get(model)?.pool.state(),
    close: async () => void (await Promise.all([...models.values()].map(({ pool }) => pool.close()))),
  }
}

function refuseTooLong(audio: Float32Array): void {
  if (audio.length <= MAX_AUDIO_SECONDS * AUDIO_SAMPLE_RATE) return
  throw new EngineError('invalid-request', `The sound is longer than ${MAX_AUDIO_SECONDS / 60} minutes. Send less.`)
}

const MIN_PAUSE_FRAMES = 30
const MARGIN_FRAMES = 8
const ABOVE_FLOOR = 3
const FLOOR_SHARE = 0.1

type Utterance = { start: number; end: number }

/**
 * Finds stretches that are louder than the recording's background. A recording without pauses is one utterance, one
 * without sound none.
 */
export function utterancesOf(audio: Float32Array): Utterance[] {
  if (isSilent(audio)) return []
  const loudness = loudnessOf(audio)
  const threshold = thresholdOf(loudness)
  const found: { first: number; last: number }[] = []
  for (const [frame, value] of loudness.entries()) {
    if (!(value > threshold)) continue
    const open = found.at(-1)
    if (open && frame - open.last <= MIN_PAUSE_FRAMES) open.last = frame
    else found.push({ first: frame, last: frame })
  }
  return found.map(({ first, last }) => ({
    start: Math.max(0, first - MARGIN_FRAMES) * FRAME_SAMPLES,
    end: Math.min(audio.length, (last + 1 + MARGIN_FRAMES) * FRAME_SAMPLES),
  }))
}

function thresholdOf(loudness: Float32Array): number {
  const sorted = loudness.toSorted()
  const floor = sorted[Math.floor(sorted.length * FLOOR_SHARE)] ?? 0
  const loud = sorted[Math.floor(sorted.length * (1 - FLOOR_SHARE))] ?? 0
  return Math.max(SILENCE, Math.min(floor * ABOVE_FLOOR, loud / ABOVE_FLOOR))
}

const FRAME_SAMPLES = 320
const MIN_SHARE = 0.5
const PAUSE_FRAMES = 12

const SILENCE = 0.003

/**
 * Cuts sound into pieces of at most `maxSamples`, each at the quietest place of its second half. The pieces are views
 * and make up the whole.
 */
export function* piecesOf(audio: Float32Array, maxSamples: number): Generator<Float32Array> {
  let start = 0
  while (audio.length - start > maxSamples) {
    const end = start + quietestPlace(audio.subarray(start, start + maxSamples))
    yield audio.subarray(start, end)
    start = end
  }
  if (start < audio.length) yield audio.subarray(start)
}

export function isSilent(audio: Float32Array): boolean {
  return !loudnessOf(audio).some((loudness) => loudness > SILENCE)
}

function quietestPlace(audio: Float32Array): number {
  const loudness = loudnessOf(audio)
  let best = loudness.length - 1
  let lowest = Number.POSITIVE_INFINITY
  for (let frame = Math.floor(loudness.length * MIN_SHARE); frame + PAUSE_FRAMES <= loudness.length; frame++) {
    let sum = 0
    for (let index = frame; index < frame + PAUSE_FRAMES; index++) sum += loudness[index]!
    // Of places that are equally quiet the last: pieces as long as they may be.
    if (sum > lowest) continue
    lowest = sum
    best = frame + PAUSE_FRAMES / 2
  }
  return Math.max(1, best) * FRAME_SAMPLES
}

function loudnessOf(audio: Float32Array): Float32Array {
  const loudness = new Float32Array(Math.ceil(audio.length / FRAME_SAMPLES))
  for (let frame = 0; frame < loudness.length; frame++) {
    const end = Math.min(audio.length, (frame + 1) * FRAME_SAMPLES)
    let sum = 0
    for (let index = frame * FRAME_SAMPLES; index < end; index++) sum += audio[index]! ** 2
    loudness[frame] = Math.sqrt(sum / (end - frame * FRAME_SAMPLES))
  }
  return loudness
}
