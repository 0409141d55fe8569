import type { ImageKind } from './sniff.ts'

/** Of a picture that is edited, and of one that an engine made. Source: API contract, images.md. */
export const MAX_EDIT_PIXELS = 33_177_600
export const MAX_MADE_PIXELS = 40_000_000
/** Least of any input: 256 x 256. */
export const MIN_INPUT_PIXELS = 65_536
/** Of what enlarging gives. */
export const MAX_ENLARGED_PIXELS = 16_777_216

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
