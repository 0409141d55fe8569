import type { CreationSettings, Generation } from '@/lib/browser/storage/generations'

/** Of a model that offers no lengths: it makes what it makes. */
const ANY_LENGTH = 'Auto'

/** The choices as `filmSettings` fits them to a model, by the names of the wire. */
function choicesOf({ duration, aspectRatio, resolution, hasSound }: CreationSettings): Record<string, unknown> {
  return {
    duration: duration ?? ANY_LENGTH,
    ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    ...(resolution !== undefined && { resolution }),
    ...(hasSound !== undefined && { audio: hasSound }),
  }
}

/** Body of `POST /video/quote`: what of the form decides the price. */
export const filmQuoteBody = (model: string, settings: CreationSettings): Record<string, unknown> => ({
  model,
  ...choicesOf(settings),
})

/** Body of `POST /video/queue`. @param pictures the first picture and the last as data URLs, where there are some. */
export function filmBody(
  { modelId, prompt, settings }: Pick<Generation, 'modelId' | 'prompt' | 'settings'>,
  [first, last]: readonly string[],
): Record<string, unknown> {
  const { negativePrompt } = settings
  return {
    model: modelId,
    prompt,
    ...choicesOf(settings),
    ...(negativePrompt !== undefined && negativePrompt !== '' && { negative_prompt: negativePrompt }),
    ...(first !== undefined && { image_url: first }),
    ...(last !== undefined && { end_image_url: last }),
  }
}
