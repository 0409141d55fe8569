import type { ImageKind } from './sniff.ts'

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
