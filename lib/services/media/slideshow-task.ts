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
