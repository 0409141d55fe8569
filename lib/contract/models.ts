export const MODEL_TYPES = ['asr', 'embedding', 'image', 'music', 'text', 'tts', 'upscale', 'inpaint', 'video'] as const
export type ModelType = (typeof MODEL_TYPES)[number]

export type Tier = 'XS' | 'S' | 'M' | 'L'

export type AssistsReply = { data: Record<string, { images?: string; audio?: string }> }
