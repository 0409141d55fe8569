import { voiceCost } from '@/lib/browser/format/voice-cost'
import type { ModelCard, Readers } from '@/lib/browser/models'
import { worstCase } from '@/lib/browser/spending-cap'
import type { Attachment } from '@/lib/browser/storage/records'
import { DESCRIBED_IMAGE_TOKENS, DESCRIPTION_TOKENS } from '@/lib/contract/estimates'
import { MAX_AUDIO_SECONDS, VIDEO_FRAMES } from '@/lib/contract/limits'
import { nano, type Price, type Usd, ZERO } from '@/lib/contract/money'

/** What a second of sound costs by the model that hears it; one that is not there is free. */
export type HearingPrices = Readonly<Record<string, Price>>

type Model = Pick<ModelCard, 'takes' | 'readers'>
/** What a file is read by, and how long it plays. */
type File = Pick<Attachment, 'kind' | 'durationMs'>

/** Of a recording whose length is not known. Seconds. */
const USUAL_SECONDS = 60

/** Whether another model hears something for this one, so that its price has to be known. */
export const needsHearing = (files: readonly File[], model: Model): boolean =>
  model.readers?.audio !== undefined && files.some((file) => secondsHeard(file, model, 1) > 0)

/**
 * What models that read for this one cost beside it: those that describe pictures for one that cannot see, those that
 * write down sound for one that cannot hear. Rounded up, both.
 */
export function readingPrice(
  files: readonly File[],
  model: Model,
  hearing: HearingPrices = {},
): { likely: Usd; most: Usd } {
  const { images, audio } = model.readers ?? {}
  const pictures = files.reduce((sum, file) => sum + picturesRead(file, model), 0)
  const second = audio === undefined ? undefined : hearing[audio]
  const heard = (unknown: number) =>
    files.reduce((sum, file) => nano(sum + voiceCost(secondsHeard(file, model, unknown), second)), ZERO)
  return {
    likely: nano(described(pictures, 'likely', images) + heard(USUAL_SECONDS)),
    most: nano(described(pictures, 'upper', images) + heard(MAX_AUDIO_SECONDS)),
  }
}

function described(pictures: number, column: 'likely' | 'upper', reader: Readers['images']): Usd {
  if (!reader?.price || pictures === 0) return ZERO
  const { price, maxOutputTokens } = reader
  const most = DESCRIPTION_TOKENS[column]
  const written = Math.min(most, maxOutputTokens || most)
  return worstCase(pictures * DESCRIBED_IMAGE_TOKENS[column], pictures * written, price)
}

function picturesRead({ kind }: File, { takes }: Model): number {
  if (kind === 'image') return takes.images === 'assisted' ? 1 : 0
  // A film that goes as frames and sound: each of them is read as a picture or a recording is.
  return kind === 'video' && takes.video === 'assisted' && takes.images === 'assisted' ? VIDEO_FRAMES : 0
}

function secondsHeard({ kind, durationMs }: File, { takes }: Model, unknown: number): number {
  const isHeard = kind === 'audio' || (kind === 'video' && takes.video === 'assisted')
  if (!isHeard || takes.audio !== 'assisted') return 0
  return durationMs === undefined ? unknown : durationMs / 1_000
}
