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
