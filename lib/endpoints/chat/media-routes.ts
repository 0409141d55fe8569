import type { Model } from '@/lib/services/models/model'

/**
 * How media reach the model: unchanged, or read for it by another model (`assist`). A video goes whole to a model that
 * takes video; for others its frames are images and its sound audio.
 */
export type MediaRoutes = {
  image?: 'native' | Model
  audio?: 'native' | Model
  video?: 'native' | 'parts'
  videoSites?: readonly string[]
  /** Documents that the model reads itself; of others it gets the text. */
  documentTypes?: readonly string[]
  /** Tokens of an image at least. */
  imageTokens?: number
}

export type Assists = { vision?: Model; audio?: Model }

export function mediaRoutes(model: Model, assists: Assists): MediaRoutes {
  const { capabilities, videoSites, documentTypes, imageTokens } = model
  const image = capabilities.supportsVision ? 'native' : assists.vision
  const audio = capabilities.supportsAudioInput ? 'native' : assists.audio
  return {
    image,
    audio,
    video: capabilities.supportsVideoInput ? 'native' : image || audio ? 'parts' : undefined,
    ...(capabilities.supportsVideoInput && videoSites ? { videoSites } : {}),
    ...(documentTypes ? { documentTypes } : {}),
    ...(imageTokens !== undefined ? { imageTokens } : {}),
  }
}
