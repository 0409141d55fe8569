import 'server-only'
import { perProcess } from '@/lib/core/per-process'
import { createDecoderRoom, type DecoderRoom } from '@/lib/media/decoder-room'
import { type ImageTask, MAX_IMAGE_BYTES, type PreparedImage } from '@/lib/media/image-task'
import { MediaError } from '@/lib/media/media-error'
import { sniffImage } from '@/lib/media/sniff'

export type { PreparedImage } from '@/lib/media/image-task'

const PLACES = 2
const MAX_QUEUED = 64
const DEADLINE_MS = 10_000
/** A picture of 40 megapixels in its decoder's hands, twice over, and Node. */
const MAX_RESIDENT_BYTES = 640_000_000
const IDLE_MS = 60_000

/**
 * Makes a picture fit for a model: upright, at most 2,048 pixels long, without transparency and metadata, the first
 * frame of an animation. What comes back was encoded here; no byte of the file is in it. PNG, JPEG, WebP, AVIF, GIF
 * and HEIC are read, told apart by content.
 *
 * @throws MediaError `unsupported`, `corrupt`, `too-small` (under 64 pixels a side), `too-large` (over 40 megapixels or
 *   25 MB), and those of a DecoderRoom.
 */
export async function prepareImage(bytes: Uint8Array, { signal }: { signal: AbortSignal }): Promise<PreparedImage> {
  if (bytes.length === 0) throw new MediaError('corrupt', 'The image is empty.')
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new MediaError('too-large', `The image is larger than ${MAX_IMAGE_BYTES / 1e6} MB.`)
  }
  const kind = sniffImage(bytes)
  if (!kind) {
    throw new MediaError(
      'unsupported',
      'This is not an image that can be read. Send PNG, JPEG, WebP, AVIF, GIF or HEIC.',
    )
  }
  return await imageRoom().run({ kind, bytes }, signal)
}

/** Pixels that were decoded here, as a picture: RGB, 8 bits each, row by row. */
export async function imageOfPixels(
  pixels: { bytes: Uint8Array; width: number; height: number },
  { signal }: { signal: AbortSignal },
): Promise<PreparedImage> {
  return await imageRoom().run({ kind: 'rgb', ...pixels }, signal)
}

/** The processes that decode images. */
export function imageRoom(): DecoderRoom<ImageTask, PreparedImage> {
  return perProcess('image-room', () =>
    createDecoderRoom<ImageTask, PreparedImage>({
      noun: 'image',
      entry: 'media/image-worker.ts',
      hasAddons: true,
      // The decoder would put large pictures into temporary files.
      environment: { VIPS_DISC_THRESHOLD: '4g' },
      places: PLACES,
      maxQueued: MAX_QUEUED,
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      idleMs: IDLE_MS,
    }),
  )
}
