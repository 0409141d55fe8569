export const MODEL_TYPES = ['asr', 'embedding', 'image', 'music', 'text', 'tts', 'upscale', 'inpaint', 'video'] as const
export type ModelType = (typeof MODEL_TYPES)[number]

/** Dollars per million tokens. Stops operators who enter thousandths as dollars. */
export const MAX_MODEL_PRICE_USD = 1_000

/** Above any model's context: stops operators who enter characters or bytes. */
export const MAX_CONTEXT_TOKENS = 100_000_000

export type Tier = 'XS' | 'S' | 'M' | 'L'

export type AssistsReply = { data: Record<string, { images?: string; audio?: string }> }

// Source: API contract, video.md, `face_media_roles`.
export const MEDIA_ROLES = ['image', 'end_image', 'reference_image', 'video', 'reference_video'] as const
export type MediaRole = (typeof MEDIA_ROLES)[number]

/** Reply of `GET /api/queue-positions/{requestId}`: place in line for a model, from 1; null for what does not wait. */
export type QueuePositionReply = { position: number | null }
