import type { Failure } from '@/lib/browser/failure'
import type { UnpricedRequest } from '@/lib/browser/storage/records'
import type { Usd } from '@/lib/contract/money'

/** What the studio made, or is making. Stored on this device only. Times are Unix milliseconds, sizes are bytes. */

export const KINDS = ['image', 'audio', 'video'] as const
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
 * `interrupted`: the page was left while the request was on its way; `request` says whether its price is known by now.
 */
type CreationState = (typeof STATES)[number]

export type CreationSettings = Readonly<Record<string, string | number | boolean>>

export type Generation = {
  id: string
  kind: GenerationKind
  task: GenerationTask
  modelId: string
  modelName: string
  prompt: string
  settings: CreationSettings
  inputs: CreationFile[]
  state: CreationState
  createdAt: number
  startedAt?: number
  endedAt?: number
  job?: CreationJob
  request?: UnpricedRequest
  results: CreationFile[]
  text?: string
  isCut?: true
  content?: ContentFacts
  /** Absent while it is not known; zero when nothing was charged. */
  cost?: Usd
  failure?: Failure
  deletedAt?: number
}

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

export type CreationJob = {
  id: string
  typicalMs?: number
  ranMs?: number
  seenAt: number
  price?: Usd
  payer?: string
}

/** Source: API contract, images.md, the `x-service-…` headers. */
export type ContentFacts = {
  isBlurred?: boolean
  isViolation?: boolean
  isAdultViolation?: boolean
  hasMinor?: boolean
  enhancedPrompt?: string
}

export type CreationDraft = Pick<
  Generation,
  'kind' | 'task' | 'modelId' | 'modelName' | 'prompt' | 'settings' | 'inputs'
>

export const isUnderWay = ({ state }: Pick<Generation, 'state'>): boolean => state === 'waiting' || state === 'running'
