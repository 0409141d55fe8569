import type { ModelSource } from '@/lib/services/engines/embedded/hub/source'
import type { EngineFailure } from '@/lib/services/engines/engine'

export type PullCommand = {
  source: ModelSource
  /** Folder of the installed models; downloads are in `.downloads` inside it. */
  folder: string
  hub: { endpoint: string; token?: string }
  /** Origins inside private networks that a redirect may lead to. */
  allowOrigins: string[]
  memoryBytes: number
  /** Takes a projector of images along. */
  seesImages: boolean
  limits?: Partial<PullLimits>
}

/** Bounds that tests make smaller. */
export type PullLimits = {
  /** Until the first byte of a reply. */
  replyMs: number
  /** Between two pieces of a reply. */
  stallMs: number
  attempts: number
  backoffMs: number
  /** Without it the disk is asked. */
  freeBytes?: number
  /** A file is fetched in as many ranges at a time as it has this many bytes, up to four. */
  rangeBytes: number
  /** How often it is recorded what is done. */
  saveMs: number
  lockStaleMs: number
}

export type PullStep = 'waiting' | 'resolving' | 'downloading' | 'verifying' | 'reading'

/** Bytes are those of all files of the model. */
export type PullProgress = {
  step: PullStep
  bytes: number
  total: number
  bytesPerSecond?: number
  secondsLeft?: number
}

export type PullReport =
  | ({ type: 'progress' } & PullProgress)
  | { type: 'installed'; id: string }
  | { type: 'stopped'; isCancelled: boolean }
  /** `message` is for the operator, `detail` for the log. */
  | { type: 'failed'; reason: EngineFailure; message: string; detail?: string }
