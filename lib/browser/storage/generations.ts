import type { Failure } from '@/lib/browser/failure'
import type { UnpricedRequest } from '@/lib/browser/storage/records'
import type { Usd } from '@/lib/contract/money'

/** What the studio made, or is making. Kept on this device only. Times are Unix milliseconds, sizes are bytes. */

export const KINDS = ['image', 'audio', 'video'] as const
/** The tab of the studio that it stands under. */
export type GenerationKind = (typeof KINDS)[number]

export const TASKS = [
  'generate',
  'edit',
  'multi-edit',
  'upscale',
  'background-remove',
  'speech',
  'transcription',
  'music',
  'video',
  'video-transcription',
] as const
export type GenerationTask = (typeof TASKS)[number]

export const STATES = ['waiting', 'running', 'done', 'failed', 'cancelled', 'interrupted'] as const
/**
 * `waiting`: a job that stands in the queue. `interrupted`: the page was left while the request was on its way, so that
 * nobody has its answer; `request` says whether its price is known by now.
 */
type CreationState = (typeof STATES)[number]

/** A choice of the form, to be used again. The task that reads it knows its name. */
export type CreationSettings = Readonly<Record<string, string | number | boolean>>

export type Generation = {
  id: string
  kind: GenerationKind
  task: GenerationTask
  /** `''` where the request names none: the service then chooses. */
  modelId: string
  modelName: string
  /** The prompt, or the text that was read aloud; `''` where there is none. */
  prompt: string
  settings: CreationSettings
  /** What it was made of, in its order. */
  inputs: CreationFile[]
  state: CreationState
  createdAt: number
  startedAt?: number
  endedAt?: number
  /** Of work that outlives a request. */
  job?: CreationJob
  /** The request whose price is not known yet. */
  request?: UnpricedRequest
  results: CreationFile[]
  /** A result that is text: what was said in a recording. */
  text?: string
  /** The result is only the beginning: it broke off, or was stopped. */
  isCut?: true
  /** What the service said of the content. */
  content?: ContentFacts
  /** Absent while it is not known; zero when nothing was charged. */
  cost?: Usd
  failure?: Failure
  /** Set while a deletion can still be undone. */
  deletedAt?: number
}

/** A file of a creation; its bytes are in the history's `blobs`, under `hash`. */
export type CreationFile = {
  id: string
  hash: string
  name: string
  mediaType: string
  size: number
  width?: number
  height?: number
  durationMs?: number
}

/** What the queue said last. */
export type CreationJob = {
  /** The queue's id of it. */
  id: string
  /** Milliseconds that most of its model's newest jobs took. */
  typicalMs?: number
  /** Milliseconds that it had been running at `seenAt`. */
  ranMs?: number
  seenAt: number
  /** Of what was queued: what is set aside for it. */
  price?: Usd
  /** Whose account it is of: nobody else is told of it. */
  payer?: string
}

/** Source: API contract, images.md, the `x-service-…` headers. */
export type ContentFacts = {
  isBlurred?: boolean
  /** It broke the content rules: the picture that came is black, and free. */
  isViolation?: boolean
  isAdultViolation?: boolean
  hasMinor?: boolean
  /** The prompt as the service rewrote it. */
  enhancedPrompt?: string
}

/** What a person asks for. */
export type CreationDraft = Pick<
  Generation,
  'kind' | 'task' | 'modelId' | 'modelName' | 'prompt' | 'settings' | 'inputs'
>

export const isUnderWay = ({ state }: Pick<Generation, 'state'>): boolean => state === 'waiting' || state === 'running'
