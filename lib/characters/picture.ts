import 'server-only'
import type { PictureJob } from '@/lib/characters/picture-job'
import { perProcess } from '@/lib/core/per-process'
import { createDecoderRoom, type DecoderRoom } from '@/lib/media/decoder-room'
import { prepareImage } from '@/lib/media/image'

const DEADLINE_MS = 10_000
const MAX_QUEUED = 32
const MAX_RESIDENT_BYTES = 320_000_000
const IDLE_MS = 30_000

/**
 * A picture that somebody sent, decoded and made small enough to keep: WebP of at most 256 KB, without metadata.
 *
 * @throws MediaError when it is no picture that can be read, or none can be read now.
 */
export async function keptPicture(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const prepared = await prepareImage(bytes, { signal })
  return await pictureRoom().run({ kind: 'keep', bytes: prepared.bytes }, signal)
}

/**
 * A drawing of ours (SVG) or a kept picture as the PNG of a card.
 *
 * @throws MediaError when too many are asked for at once.
 */
export const cardPicture = (source: Uint8Array, signal: AbortSignal): Promise<Uint8Array> =>
  pictureRoom().run({ kind: 'card', bytes: source }, signal)

/** The process that makes them: the library takes 50 MB that it does not give back. */
export function pictureRoom(): DecoderRoom<PictureJob, Uint8Array> {
  return perProcess('character-pictures', () =>
    createDecoderRoom<PictureJob, Uint8Array>({
      noun: 'picture',
      entry: 'characters/picture-worker.ts',
      hasAddons: true,
      places: 1,
      maxQueued: MAX_QUEUED,
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      idleMs: IDLE_MS,
    }),
  )
}
