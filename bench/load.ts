import type { Calls } from '@/bench/children'

/** Chat requests to one server. */
export type ChatLoad = {
  origin: string
  path: string
  key: string
  model: string
  connections: number
  durationMs: number
  isStreaming: boolean
  promptBytes: number
  /** The text and tokens that every answer must have, and the events of a stream that carry them. */
  expect: { text: string; tokens: number; events: number }
}

export type GetLoad = {
  origin: string
  path: string
  connections: number
  durationMs: number
  /** What every answer must contain. */
  expect: string
}

/** JSON-RPC requests, whose keys take turns. */
export type RpcLoad = {
  origin: string
  path: string
  keys: string[]
  connections: number
  durationMs: number
  /** Calls in one request; 0 for a call that is not in a batch. */
  batch: number
  /** Every call asks for the same; else each for something else. */
  isSame: boolean
}

/** A request that was made before the clock starts, and what its answer must be. */
export type Prepared = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  status: number
  /** What the answer must contain. */
  expect: string
}

/** Requests that differ, each sent once. */
export type EachLoad = { origin: string; connections: number; requests: Prepared[] }

/** Of each request, in the order of the answers. */
export type EachResult = {
  totalsMs: number[]
  /** What the server itself says that its work took (`Server-Timing`), where it says so. */
  insideMs: number[]
  elapsedMs: number
  /** What was wrong with the first few wrong answers. */
  faults: string[]
}

export type LoadResult = {
  requests: number
  events: number
  elapsedMs: number
  p50Ms: number
  p99Ms: number
  firstP50Ms?: number
  /** What was wrong with the first few wrong answers. */
  faults: string[]
}

export type ClientCalls = Calls & {
  chat: (load: ChatLoad) => Promise<LoadResult>
  get: (load: GetLoad) => Promise<LoadResult>
  rpc: (load: RpcLoad) => Promise<LoadResult>
  each: (load: EachLoad) => Promise<EachResult>
  leave: (load: ChatLoad) => Promise<number>
}
