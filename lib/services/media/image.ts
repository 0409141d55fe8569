import 'server-only'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { perProcess } from '@/lib/kernel/per-process'
import { createDecoderPool, type DecoderPool } from '@/lib/services/media/decoder-pool'
import { MediaError } from '@/lib/services/media/media-error'
import type { ImageTask, PreparedImage } from '@/lib/services/media/media-tasks'
import { type ImageKind, sniffImage } from '@/lib/services/media/sniff'

export type { PreparedImage } from '@/lib/services/media/media-tasks'

export const IMAGE_POOL = {
  noun: 'image',
  hasAddons: true,
  // The decoder would put large pictures into temporary files.
  environment: { VIPS_DISC_THRESHOLD: '4g' },
  places: 2,
  maxQueued: 64,
  idleMs: 60_000,
}

const DEADLINE_MS = 10_000
const MAX_RESIDENT_BYTES = 640_000_000

/**
 * Prepares a picture for a model: upright, at most 2,048 pixels long, without transparency and metadata, the first
 * frame of an animation. The result was encoded here; no byte of the file is in it. PNG, JPEG, WebP, AVIF, GIF and HEIC
 * are read, told apart by content.
 *
 * @throws MediaError `unsupported`, `corrupt`, `too-small` (under 64 pixels a side), `too-large` (over 40 megapixels or
 *   25 MB), and those of a DecoderPool.
 */
export async function prepareImage(bytes: Uint8Array, { signal }: { signal: AbortSignal }): Promise<PreparedImage> {
  return await imagePool().run({ kind: imageKind(bytes), bytes }, signal)
}

/**
 * Tells a picture's kind by its content.
 *
 * @throws MediaError `corrupt` for an empty one, `too-large` (over 25 MB), `unsupported`.
 */
export function imageKind(bytes: Uint8Array): ImageKind {
  if (bytes.length === 0) throw new MediaError('corrupt', 'The image is empty.')
  if (bytes.length > MAX_FILE_BYTES) {
    throw new MediaError('too-large', `The image is larger than ${MAX_FILE_BYTES / 1e6} MB.`)
  }
  const kind = sniffImage(bytes)
  if (kind) return kind
  const message = 'This is not an image that can be read. Send PNG, JPEG, WebP, AVIF, GIF or HEIC.'
  throw new MediaError('unsupported', message)
}

export async function imageOfPixels(
  pixels: { bytes: Uint8Array; width: number; height: number },
  { signal }: { signal: AbortSignal },
): Promise<PreparedImage> {
  return await imagePool().run({ kind: 'rgb', ...pixels }, signal)
}

export function imagePool(): DecoderPool<ImageTask, PreparedImage> {
  return perProcess('image-room', () =>
    createDecoderPool<ImageTask, PreparedImage>({
      ...IMAGE_POOL,
      entry: 'services/media/image-worker.ts',
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
    }),
  )
}
