import type { ContentFacts, Generation, GenerationTask } from '@/lib/browser/storage/generations'

export type Delivered = {
  files: { data: Blob; name: string; width?: number; height?: number; durationMs?: number }[]
  text?: string
  /** It broke off, or was stopped. */
  isCut?: true
  content?: ContentFacts
  /** The model that answered, where the service names another than the requested one. */
  modelName?: string
}

export type SendOptions = {
  signal: AbortSignal
  /** They name the request, so that its price can be asked for. */
  headers: Readonly<Record<string, string>>
}

/**
 * Sends one generation and waits for its result. @param inputs the bytes of its `inputs`, in their order. @throws
 * ApiError when the service refuses; TypeError or DOMException when it does not answer.
 */
export type Sender = (generation: Generation, inputs: Blob[], options: SendOptions) => Promise<Delivered>

/** Tasks that one request answers. The others are jobs of the queue. */
export type PromptTask = Exclude<GenerationTask, 'music' | 'video'>

export const REQUEST_PREFIX: Readonly<Record<PromptTask, string>> = {
  generate: 'generate-image',
  edit: 'edit-image',
  'multi-edit': 'edit-image',
  upscale: 'upscale-image',
  'background-remove': 'cut-image',
  speech: 'speech',
  transcription: 'asr',
  'video-transcription': 'video-asr',
}
