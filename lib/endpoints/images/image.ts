import 'server-only'
import type { PictureFormat } from '@/lib/contract/images.schema'
import type { Size } from '@/lib/endpoints/images/sizes'
import { perProcess } from '@/lib/kernel/per-process'
import type { InputPicture } from '@/lib/services/engines/engine'
import { EngineError } from '@/lib/services/engines/engine'
import { createDecoderRoom, type DecoderRoom } from '@/lib/services/media/decoder-pool'
import { imageKind, PICTURE_ROOM } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import type { Picture, PictureTask } from '@/lib/services/media/media-tasks'
import { sniffImage } from '@/lib/services/media/sniff'

export type { Picture } from '@/lib/services/media/media-tasks'

const DEADLINE_MS = 30_000
/** A picture of 40 megapixels, as pixels and as the file that is made of them, twice over, and Node. */
const MAX_RESIDENT_BYTES = 900_000_000

/** The processes that read pictures of callers and engines, and write those that go out. */
function pictureRoom(): DecoderRoom<PictureTask, Picture> {
  return perProcess('picture-room', () =>
    createDecoderRoom<PictureTask, Picture>({
      ...PICTURE_ROOM,
      entry: 'services/media/edit-image-worker.ts',
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
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
  // `open` answers with one of the two formats that engines take.
  return (await pictureRoom().run({ do: 'open', kind: imageKind(bytes), bytes }, signal)) as InputPicture
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
