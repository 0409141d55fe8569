import type { EngineFailure } from '@/lib/services/engines/engine'

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
