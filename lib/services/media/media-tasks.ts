import type { ImageKind } from './sniff.ts'

// A video in 4K; larger ones do not fit the decoder's memory.
export const MAX_VIDEO_PIXELS = 4_096 * 2_304
export const MAX_FRAMES = 32
export const MAX_FRAME_SIDE = 1_024
export const AUDIO_SAMPLE_RATE = 16_000

export type FfmpegTask =
  | { type: 'sound'; bytes: Uint8Array; demuxer: string }
  | { type: 'film'; bytes: Uint8Array; demuxer: string; frames: number; hasSound: boolean }

export type Frame = { atSeconds: number; width: number; height: number; bytes: Uint8Array }

export type FfmpegResult = { seconds: number; frames: Frame[]; sound?: Uint8Array }

export type PreparedImage = { bytes: Uint8Array; mime: 'image/jpeg' | 'image/png'; width: number; height: number }

export type ImageTask = { bytes: Uint8Array } & ({ kind: ImageKind } | { kind: 'rgb'; width: number; height: number })

// Audio to encode: signed 16-bit samples of one channel. A part is one of several that make up a stream.
export type EncodeTask = { bytes: Uint8Array; rate: number; format: 'mp3' | 'opus' | 'aac'; isPart: boolean }
export type EncodeResult = { bytes: Uint8Array }

export type SlideshowTask = {
  pictures: { bytes: Uint8Array; mime: 'image/jpeg' | 'image/png' }[]
  sound?: Uint8Array
  captions?: string
  width: number
  height: number
  seconds: number
}

export type SlideshowResult = { bytes: Uint8Array }

export const SPEECH_RATE = 24_000
export const VIDEO_RATE = 24
export const MAX_VIDEO_SECONDS = 30
export const FADE_SECONDS = 0.5

type Format = 'jpeg' | 'png' | 'webp'

/**
 * - `open`: a caller's file, judged by its size, upright, in sRGB, without metadata, its first frame: PNG or JPEG
 * - `write`: an engine's file in a format, with only its pixels and the text that is given for it
 * - `black`: a black picture
 */
export type ImageEditTask =
  | { do: 'open'; kind: ImageKind; bytes: Uint8Array }
  | {
      do: 'write'
      kind: ImageKind
      bytes: Uint8Array
      format: Format
      description?: string
      size?: { width: number; height: number }
    }
  | { do: 'black'; format: Format; width: number; height: number }

export type ImageFile = {
  bytes: Uint8Array
  mime: 'image/jpeg' | 'image/png' | 'image/webp'
  width: number
  height: number
  clearShare: number
}

// A card's PNG, drawn from an SVG or a stored picture; a portrait for pages, drawn from an SVG; or a small copy to
// store.
export type ImageJob = { kind: 'card' | 'portrait' | 'keep'; bytes: Uint8Array }

export const MAX_IMAGE_BYTES = 262_144
export const IMAGE_WIDTH = 512
export const IMAGE_HEIGHT = 768
export const CARD_PIXELS = 512
export const PORTRAIT_PIXELS = 384
