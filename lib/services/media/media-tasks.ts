import type { ImageKind } from './sniff.ts'

/** A film in 4K; larger ones do not fit the decoder's memory. */
export const MAX_VIDEO_PIXELS = 4_096 * 2_304
/** Pictures taken of one film. */
export const MAX_FRAMES = 32
/** The longer side of a picture taken of a film, in pixels. */
export const MAX_FRAME_SIDE = 1_024
/** Of the sound that speech models take. */
export const SOUND_RATE = 16_000

export type FfmpegTask =
  | { type: 'sound'; bytes: Uint8Array; demuxer: string }
  | { type: 'film'; bytes: Uint8Array; demuxer: string; frames: number; hasSound: boolean }

/** RGB, 8 bits each, row by row. */
export type Frame = { atSeconds: number; width: number; height: number; bytes: Uint8Array }

/** `sound`: signed 16-bit samples of one channel at SOUND_RATE, little-endian. */
export type FfmpegResult = { seconds: number; frames: Frame[]; sound?: Uint8Array }

export type PreparedImage = { bytes: Uint8Array; mime: 'image/jpeg' | 'image/png'; width: number; height: number }

/** A file to decode, or pixels (RGB, 8 bits each) to encode. */
export type ImageTask = { bytes: Uint8Array } & ({ kind: ImageKind } | { kind: 'rgb'; width: number; height: number })

/** Sound to write: signed 16-bit samples of one channel. A part is one of several that make up a stream. */
export type EncodeTask = { bytes: Uint8Array; rate: number; format: 'mp3' | 'opus' | 'aac'; isPart: boolean }
export type EncodeResult = { bytes: Uint8Array }

/** A film of one or two pictures, with speech and captions where there are some. */
export type SlideshowTask = {
  pictures: { bytes: Uint8Array; mime: 'image/jpeg' | 'image/png' }[]
  /** Signed 16-bit samples of one channel at SPEECH_RATE, little-endian. */
  sound?: Uint8Array
  /** SubRip. */
  captions?: string
  width: number
  height: number
  seconds: number
}

export type SlideshowResult = { bytes: Uint8Array }

export const SPEECH_RATE = 24_000
/** Pictures a second. */
export const FILM_RATE = 24
/** Of one film: a minute of work for the encoder. */
export const MAX_FILM_SECONDS = 30
/** Between two pictures. */
export const FADE_SECONDS = 0.5

type Format = 'jpeg' | 'png' | 'webp'

/**
 * What a process that reads and writes pictures is asked for.
 *
 * - `open`: a caller's file, judged by its size, upright, in sRGB, without metadata, its first frame: PNG or JPEG
 * - `write`: an engine's file in a format, with nothing in it but pixels and the text that is given for it
 * - `black`: nothing to see, in a format
 */
export type PictureTask =
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

export type Picture = {
  bytes: Uint8Array
  mime: 'image/jpeg' | 'image/png' | 'image/webp'
  width: number
  height: number
  /** What share of its pixels is see-through, 0 to 1. */
  clearShare: number
}

/**
 * What the process is asked for: the PNG of a card, drawn from an SVG or a kept picture; a portrait for pages, drawn from an
 * SVG; or a small copy to keep.
 */
export type PictureJob = { kind: 'card' | 'portrait' | 'keep'; bytes: Uint8Array }

/** Of a kept picture; the table allows no more. */
export const MAX_PICTURE_BYTES = 262_144
export const PICTURE_WIDTH = 512
export const PICTURE_HEIGHT = 768
/** Edge of the picture of an exported card. */
export const CARD_PIXELS = 512
/** Edge of a portrait, which no page shows larger than 240 of its own pixels. */
export const PORTRAIT_PIXELS = 384
