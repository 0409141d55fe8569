import type { ImageKind } from './sniff.ts'

/** Of one picture, by its bytes. Also the API contract's bound (images.md). */
export const MAX_IMAGE_BYTES = 25_000_000
/** Of each side, in pixels. */
export const MIN_IMAGE_SIDE = 64
export const MAX_IMAGE_PIXELS = 40_000_000
/** A longer picture is scaled down to this, in pixels. */
export const MAX_PREPARED_SIDE = 2_048

export type PreparedImage = { bytes: Uint8Array; mime: 'image/jpeg' | 'image/png'; width: number; height: number }

/** A file to decode, or pixels (RGB, 8 bits each) to encode. */
export type ImageTask = { bytes: Uint8Array } & ({ kind: ImageKind } | { kind: 'rgb'; width: number; height: number })
