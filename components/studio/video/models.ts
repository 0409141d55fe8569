import { count, modelListQuery, type NamedModel, strings } from '@/components/studio/audio/models'
import { isRecord } from '@/lib/browser/api'
import { DEFAULT_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'

/** A model that makes films. An empty list: it cannot be chosen. */
export type VideoModel = NamedModel & {
  /** What it needs beside words. `video`: it says no more than that it makes films. */
  from: 'text' | 'picture' | 'video'
  durations: string[]
  aspectRatios: string[]
  resolutions: string[]
  hasSound: boolean
  canChooseSound: boolean
  mostPrompt: number
}

const FROM: Record<string, VideoModel['from']> = { 'text-to-video': 'text', 'image-to-video': 'picture' }

export const videoModelsQuery = () => modelListQuery('video', videoModel)

export function videoModel(named: NamedModel, spec: Record<string, unknown>): VideoModel {
  const can = isRecord(spec.constraints) ? spec.constraints : {}
  return {
    ...named,
    from: FROM[String(can.model_type)] ?? 'video',
    durations: strings(can.durations),
    aspectRatios: strings(can.aspect_ratios),
    resolutions: strings(can.resolutions),
    hasSound: can.audio === true,
    canChooseSound: can.audio_configurable === true,
    mostPrompt: count(can.prompt_character_limit) ?? DEFAULT_VIDEO_PROMPT_CHARS,
  }
}
