import 'server-only'
import { perProcess } from '@/lib/core/per-process'
import { EngineError } from '@/lib/engines/engine'
import type { InputPicture } from '@/lib/engines/painter'
import type { Picture, PictureTask } from '@/lib/images/picture-task'
import type { PictureFormat } from '@/lib/images/schema'
import type { Size } from '@/lib/images/sizes'
import { createDecoderRoom, type DecoderRoom } from '@/lib/media/decoder-room'
import { MediaError } from '@/lib/media/media-error'
import { sniffImage } from '@/lib/media/sniff'

export type { Picture } from '@/lib/images/picture-task'

const PLACES = 2
const MAX_QUEUED = 64
const DEADLINE_MS = 30_000
/** A picture of 40 megapixels, as pixels and as the file that is made of them, twice over, and Node. */
const MAX_RESIDENT_BYTES = 900_000_000
const IDLE_MS = 60_000

/** Of one file of a caller's. Source: API contract, images.md. */
export const MAX_FILE_BYTES = 25_000_000

/** The processes that read pictures of callers and engines, and write those that go out. */
export function pictureRoom(): DecoderRoom<PictureTask, Picture> {
  return perProcess('picture-room', () =>
    createDecoderRoom<PictureTask, Picture>({
      noun: 'image',
      entry: 'images/picture-worker.ts',
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

/**
 * Makes a caller's file fit for an engine: upright, its first frame, without metadata, transparency kept.
 *
 * @throws MediaError `unsupported`, `corrupt`, `too-small` (under 65,536 pixels), `too-large` (over 33,177,600 pixels or
 *   25 MB), and those of a DecoderRoom.
 */
export async function openPicture(bytes: Uint8Array, signal: AbortSignal): Promise<InputPicture> {
  if (bytes.length === 0) throw new MediaError('corrupt', 'The image is empty.')
  if (bytes.length > MAX_FILE_BYTES) {
    throw new MediaError('too-large', `The image is larger than ${MAX_FILE_BYTES / 1e6} MB.`)
  }
  const kind = sniffImage(bytes)
  if (!kind) {
    const message = 'This is not an image that can be read. Send PNG, JPEG, WebP, AVIF, GIF or HEIC.'
    throw new MediaError('unsupported', message)
  }
  // `open` answers with one of the two formats that engines take.
  return (await pictureRoom().run({ do: 'open', kind, bytes }, signal)) as InputPicture
}

export type WriteOptions = { format: PictureFormat; description?: string; size?: Size }

/**
 * An engine's file in the format that was asked for.
 *
 * @throws EngineError `failed` when it is no picture; MediaError `busy`, `unavailable`, `timeout`.
 */
export async function writePicture(bytes: Uint8Array, options: WriteOptions, signal: AbortSignal): Promise<Picture> {
  const kind = sniffImage(bytes)
  const wrong = (cause: unknown) =>
    new EngineError('failed', 'The model sent a picture that cannot be read. Try again.', { cause })
  if (!kind) throw wrong(new Error('no known format'))
  try {
    return await pictureRoom().run({ do: 'write', kind, bytes, ...options }, signal)
  } catch (error) {
    const isItsFault = error instanceof MediaError && ['corrupt', 'too-large', 'too-small'].includes(error.reason)
    throw isItsFault ? wrong(error) : error
  }
}

/** A black picture: what stands for one that may not be shown. */
export function blackPicture(size: Size, format: PictureFormat, signal: AbortSignal): Promise<Picture> {
  return pictureRoom().run({ do: 'black', format, ...size }, signal)
}
