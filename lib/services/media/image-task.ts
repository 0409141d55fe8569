import type { ImageKind } from './sniff.ts'

export type PreparedImage = { bytes: Uint8Array; mime: 'image/jpeg' | 'image/png'; width: number; height: number }

/** A file to decode, or pixels (RGB, 8 bits each) to encode. */
export type ImageTask = { bytes: Uint8Array } & ({ kind: ImageKind } | { kind: 'rgb'; width: number; height: number })
