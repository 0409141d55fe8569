import type { WeightsName } from '@/lib/services/engines/embedded/weights/table'
import type { EngineFailure, ImageReading } from '@/lib/services/engines/engine'

/** What a child process that serves tasks is told: `load` once, then tasks. */
export type TaskCommand<Input> =
  | { type: 'load'; paths: Record<string, string> }
  | { type: 'task'; id: number; input: Input }
  | { type: 'cancel'; id: number }

export type TaskReport<Output> =
  | { type: 'loaded'; residentBytes: number }
  | { type: 'done'; id: number; output: Output }
  /** Nobody wants it any more, and the child has let go of it. */
  | { type: 'cancelled'; id: number }
  /** `message` is for the caller, `detail` for the log: the library's own words. */
  | { type: 'failed'; id?: number; reason: EngineFailure; message: string; detail?: string }

/** A few texts; their vectors in the same order, and the tokens of each before anything was cut. */
export type EmbeddingInput = { texts: string[] }
export type EmbeddingOutput = { vectors: Float32Array[]; tokens: number[] }

/** Of the model's vectors. */
export const EMBEDDING_DIMENSIONS = 384

/** The model's window, both marks included. */
export const EMBEDDING_MAX_TOKENS = 256

/** A picture to enlarge: PNG or JPEG, within the bounds of lib/endpoints/images. */
export type EnlargeInput = { bytes: Uint8Array; factor: 2 | 4 }
/** A picture to mend: PNG whose see-through pixels are to be filled. */
export type FillInput = { bytes: Uint8Array }
/** PNG. */
export type RetouchedOutput = { bytes: Uint8Array }

/** A sentence or a part of one, and who says it; the sound is mono at 24 kHz, empty when there is nothing to say. */
export type SpeechInput = { text: string; voice: string; speed: number }
export type SpeechOutput = { samples: Float32Array }

/**
 * A piece of sound, mono at 16 kHz, no longer than the model can hear at once, and what the speaker is said to speak (ISO
 * 639-1); what was said, and in which language, from models that know several.
 */
export type TranscriptionInput = { samples: Float32Array; language?: string }
export type TranscriptionOutput = { text: string; language?: string }

export const SOUND_RATE = 16_000

/** What the child process that reads pictures is sent: one encoded picture. */
export type VisionInput = {
  image: Uint8Array
  /** Where the detector's files are. Without them text is read, and objects are not looked for. */
  detector?: DetectorFiles
}

export type DetectorFiles = { model: string; weights: string }

export type VisionReading = ImageReading & {
  /** Of the picture as it is shown, in pixels. */
  width: number
  height: number
  /** False where objects were not looked for. */
  hasDetector: boolean
}

/** A word on a page. Confidence 0 to 100; coordinates in pixels of the page, from its top left corner. */
export type Word = { text: string; confidence: number; left: number; top: number; right: number; bottom: number }

/** Words of one line, from left to right. */
export type Line = Word[]

/** What the weights child is told, once. */
export type WeightsCommand = { name: WeightsName; modelsFolder: string }

/** How far a download is. `waiting`: another process is at it. Bytes are those of tarballs. */
export type WeightsProgress = { step: 'waiting' | 'downloading' | 'preparing'; bytes: number; total: number }

/** What it says: progress, then one of the other two. */
export type WeightsReport =
  | ({ type: 'progress' } & WeightsProgress)
  | { type: 'done' }
  | { type: 'failed'; reason: EngineFailure; message: string }
