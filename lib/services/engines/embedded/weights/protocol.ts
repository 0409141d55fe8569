import type { WeightsName } from '@/lib/services/engines/embedded/weights/table'
import type { EngineFailure } from '@/lib/services/engines/engine'

/** What the weights child is told, once. */
export type WeightsCommand = { name: WeightsName; modelsFolder: string }

/** How far a download is. `waiting`: another process is at it. Bytes are those of tarballs. */
export type WeightsProgress = { step: 'waiting' | 'downloading' | 'preparing'; bytes: number; total: number }

/** What it says: progress, then one of the other two. */
export type WeightsReport =
  | ({ type: 'progress' } & WeightsProgress)
  | { type: 'done' }
  | { type: 'failed'; reason: EngineFailure; message: string }
