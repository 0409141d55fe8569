import type { ChatEvent, ChatRequest, EngineFailure, Sampling } from '@/lib/services/engines/engine'

/** What a model's child process is told at its start. */
export type ModelOptions = {
  modelPath: string
  contextTokens: number
  /** Requests that run at the same time; each has a context of its own. */
  sequences: number
  /** At most. Always set: left to itself the library oversubscribes the cores and becomes a hundred times slower. */
  threads: number
  /** Used where the request says nothing. */
  defaults: Required<Pick<Sampling, 'temperature' | 'topP' | 'topK' | 'repetitionPenalty'>>
  /** Texts that begin another speaker's turn in this model's template without being control tokens of their own. */
  turnMarks: string[]
}

export type ChatCommand =
  | { type: 'load'; options: ModelOptions }
  | { type: 'generate'; id: number; request: ChatRequest }
  /** The consumer took this many deltas: as many more may come. */
  | { type: 'credit'; id: number; count: number }
  | { type: 'cancel'; id: number }

export type ChatReport =
  | { type: 'loading'; fraction: number }
  | { type: 'loaded'; residentBytes: number }
  /** `count`: deltas before they were merged, as credit is counted. */
  | { type: 'events'; id: number; events: ChatEvent[]; count: number }
  | { type: 'end'; id: number }
  /** `message` is for the caller, `detail` for the log: the library's own words. */
  | { type: 'failed'; id?: number; reason: EngineFailure; message: string; detail?: string }

/** Deltas that may be on their way or unread. Past it the model waits for its reader. */
export const WINDOW_EVENTS = 256
