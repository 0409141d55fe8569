export const MODEL_TYPES = ['asr', 'embedding', 'image', 'music', 'text', 'tts', 'upscale', 'inpaint', 'video'] as const
export type ModelType = (typeof MODEL_TYPES)[number]

/** What the limits on requests to a model go by. */
export type Tier = 'XS' | 'S' | 'M' | 'L'
