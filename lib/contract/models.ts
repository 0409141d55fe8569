export const MODEL_TYPES = ['asr', 'embedding', 'image', 'music', 'text', 'tts', 'upscale', 'inpaint', 'video'] as const
export type ModelType = (typeof MODEL_TYPES)[number]

/** Rate limits of text models go by their tier. */
export type Tier = 'XS' | 'S' | 'M' | 'L'

/** Reply of the page's `GET /api/assists`: by model, the ids of those that see and hear for it. */
export type AssistsReply = { data: Record<string, { images?: string; audio?: string }> }
