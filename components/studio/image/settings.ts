import type { ImageModel, ImageTask, Quality } from '@/components/studio/image/models'
import { definedSettings } from '@/components/studio/media-form'
import { unavailableWords } from '@/lib/browser/availability'
import type { CreationFile, CreationSettings } from '@/lib/browser/storage/generations'
import { MAX_IMAGE_PROMPT_CHARS, MAX_UPSCALED_PIXELS } from '@/lib/contract/limits'
import { formatNumber, plural, t } from '@/lib/i18n/t'

export const FORMATS = ['webp', 'png', 'jpeg'] as const
export type PictureFormat = (typeof FORMATS)[number]

/** How a picture is asked for. What is absent is left to the service and the model. */
export type ImageSettings = {
  ratio?: string
  width?: number
  height?: number
  resolution?: string
  quality?: Quality
  variants?: number
  style?: string
  negativePrompt?: string
  seed?: number
  steps?: number
  cfgScale?: number
  format?: PictureFormat
  isSafeModeOff?: boolean
  rewritesPrompt?: boolean
  factor?: 2 | 4
}

/** Of a picture whose size is given in pixels, where nothing was chosen. */
export const PLAIN_SIDE = 1_024
/** What models that take pixels are offered. */
const PLAIN_RATIOS = ['1:1', '3:2', '4:3', '16:9', '2:3', '3:4', '9:16'] as const

/** What of the settings says something for this task and model: the rest was chosen for another one. */
export function fitSettings(settings: ImageSettings, task: ImageTask, model: ImageModel): ImageSettings {
  if (task === 'background-remove') return {}
  if (task === 'upscale') return { factor: settings.factor ?? 2 }
  const { ratio, resolution, quality, format, isSafeModeOff, rewritesPrompt } = settings
  if (!model.readsPrompt) return defined({ format })
  const common: ImageSettings = {
    resolution: only(resolution, model.resolutions),
    quality: only(quality, model.qualities),
    format,
    isSafeModeOff: isSafeModeOff || undefined,
    rewritesPrompt: rewritesPrompt || undefined,
  }
  if (task !== 'generate') return defined({ ...common, ratio: only(ratio, model.ratios) })
  const { width, height, variants = 1, style, negativePrompt, seed, steps, cfgScale } = settings
  const isSized = model.divisor > 0 && width !== undefined && height !== undefined
  return defined({
    ...common,
    ratio: isSized ? undefined : only(ratio, ratiosOf(model)),
    width: isSized ? width : undefined,
    height: isSized ? height : undefined,
    variants: variants > 1 ? variants : undefined,
    style: style || undefined,
    negativePrompt: negativePrompt?.trim() ? negativePrompt : undefined,
    seed,
    steps: model.steps && steps !== undefined ? Math.min(steps, model.steps.max) : undefined,
    cfgScale,
  })
}

/** A choice where it is one of the options. */
const only = <T extends string>(choice: T | undefined, options: readonly string[]): T | undefined =>
  choice !== undefined && options.includes(choice) ? choice : undefined

/** The ratios that a model is offered with. */
export const ratiosOf = ({ ratios, divisor }: ImageModel): readonly string[] =>
  ratios.length > 0 ? ratios : divisor > 0 ? PLAIN_RATIOS : []

export type ImageWish = {
  task: ImageTask
  model: ImageModel | undefined
  prompt: string
  settings: ImageSettings
  inputs: readonly CreationFile[]
  /** Parts of an input are transparent, to be filled. */
  isErased?: boolean
}

/** Why it cannot be made as it is: what the models say already is never sent to be refused. Nothing when it can be. */
export function problemOf({ task, model, prompt, settings, inputs, isErased = false }: ImageWish): string | undefined {
  if (!model) return t('No connected model supports this task.')
  if (model.isOffline) return unavailableWords(model)
  if (task !== 'generate' && inputs.length === 0) return t('Choose an image first.')
  if (task === 'upscale') return enlargeProblem(inputs)
  if (task === 'background-remove') return undefined
  if (inputs.length > model.maxImages) {
    return plural(model.maxImages, {
      one: 'This model accepts {count} image.',
      other: 'This model accepts up to {count} images.',
    })
  }
  if (!model.readsPrompt) return isErased ? undefined : t('Mark an area to erase first.')
  if (prompt.trim() === '' && !isErased) return task === 'generate' ? t('Enter a prompt.') : t('Enter instructions.')
  if (prompt.length > model.maxPromptChars) return t('The prompt is too long for this model.')
  return task === 'generate' ? detailProblem(settings, model) : undefined
}

function detailProblem({ width, height, negativePrompt = '' }: ImageSettings, model: ImageModel): string | undefined {
  if (negativePrompt.length > Math.min(model.maxPromptChars, MAX_IMAGE_PROMPT_CHARS))
    return t('The negative prompt is too long for this model.')
  if (model.divisor === 0 || width === undefined || height === undefined) return undefined
  const isOdd = [width, height].some((side) => side % model.divisor !== 0)
  return isOdd
    ? t('Width and height must be multiples of {divisor} for this model.', { divisor: model.divisor })
    : undefined
}

/** Two times is the least that there is; four times is reduced by the service to what fits. */
function enlargeProblem([input]: readonly CreationFile[]): string | undefined {
  const { width, height } = input ?? {}
  if (width === undefined || height === undefined || width * height * 4 <= MAX_UPSCALED_PIXELS) return undefined
  return t('This image is {width} × {height} pixels. The upscale limit is {millions} million pixels.', {
    width: String(width),
    height: String(height),
    millions: formatNumber(MAX_UPSCALED_PIXELS / 4 / 1_000_000, { maximumFractionDigits: 1 }),
  })
}

/** The size that comes out of enlarging; four times is reduced to what the service allows. */
export function enlargedSize(
  { width, height }: { width: number; height: number },
  factor: 2 | 4,
): { width: number; height: number } {
  const most = Math.sqrt(MAX_UPSCALED_PIXELS / (width * height))
  const truly = Math.min(factor, most)
  return { width: Math.floor(width * truly), height: Math.floor(height * truly) }
}

/** The settings as they are kept with a generation. */
export const keptSettings = (settings: ImageSettings): CreationSettings => definedSettings(settings)

const defined = (settings: ImageSettings): ImageSettings => definedSettings(settings)

/** Settings that were kept: what is of another version, or of another hand, is left out. */
export function imageSettings(kept: CreationSettings): ImageSettings {
  const word = (name: string) => (typeof kept[name] === 'string' ? (kept[name] as string) : undefined)
  const number = (name: string) => (typeof kept[name] === 'number' ? (kept[name] as number) : undefined)
  const quality = (['low', 'medium', 'high'] as const).find((one) => one === kept.quality)
  const format = FORMATS.find((one) => one === kept.format)
  const factor = kept.factor === 4 ? 4 : kept.factor === 2 ? 2 : undefined
  return defined({
    ratio: word('ratio'),
    width: number('width'),
    height: number('height'),
    resolution: word('resolution'),
    quality,
    variants: number('variants'),
    style: word('style'),
    negativePrompt: word('negativePrompt'),
    seed: number('seed'),
    steps: number('steps'),
    cfgScale: number('cfgScale'),
    format,
    isSafeModeOff: kept.isSafeModeOff === true || undefined,
    rewritesPrompt: kept.rewritesPrompt === true || undefined,
    factor,
  })
}
