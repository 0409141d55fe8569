import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { FetchRefused, safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { parseDataUrl } from '@/lib/services/media/data-url'
import { MediaError } from '@/lib/services/media/media-error'
import { openMemoryReservation } from '@/lib/services/media/memory-budget'
import { readVideo } from '@/lib/services/media/video'

/** Source: API contract, video.md, `reference_video_urls`. */
const LEAST_CLIP_SECONDS = 2
const MOST_CLIP_SECONDS = 15
export const MOST_REFERENCE_SECONDS = 15
const MAX_CLIP_BYTES = 50_000_000
const RETRY_AFTER_SECONDS = 5
/** A clip states its length in milliseconds, and cutters are a frame off. */
const TOLERANCE_SECONDS = 0.1

/**
 * How long the reference clips of a film are together.
 *
 * @returns nothing where that cannot be told here: a clip is too large to be looked into, or there is no ffmpeg.
 * @throws ApiError INVALID_REQUEST naming the clip that is none, cannot be had, or is too short or too long;
 *   SERVICE_UNAVAILABLE when too much is looked at already.
 */
export async function referenceSeconds(
  urls: string[],
  { accountId, signal }: { accountId: string; signal: AbortSignal },
): Promise<number | undefined> {
  const hand = openMemoryReservation(accountId)
  try {
    let total = 0
    for (const [index, url] of urls.entries()) {
      const path = ['reference_video_urls', index]
      const bytes = await clipOf(url, path, signal)
      const giveBack = hand.reserve(bytes.length)
      const endTurn = await hand.turn('file', signal)
      const seconds = await secondsOfClip(bytes, path, signal).finally(endTurn)
      giveBack()
      if (seconds === undefined) return undefined
      assertLength(seconds, path)
      total += seconds
    }
    if (total <= MOST_REFERENCE_SECONDS + TOLERANCE_SECONDS) return Math.min(total, MOST_REFERENCE_SECONDS)
    throw invalidField(['reference_video_urls'], `must be at most ${MOST_REFERENCE_SECONDS} s long together`)
  } catch (error) {
    if (!(error instanceof MediaError && error.reason === 'busy')) throw error
    throw new ApiError('SERVICE_UNAVAILABLE', error.message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS })
  } finally {
    hand.close()
  }
}

type Path = (string | number)[]

async function clipOf(url: string, path: Path, signal: AbortSignal): Promise<Uint8Array> {
  // What stands in the body was looked at by `assertMedia`.
  if (/^data:/i.test(url)) return parseDataUrl(url)?.bytes ?? new Uint8Array()
  try {
    return (await safeFetch(url, { maxBytes: MAX_CLIP_BYTES, signal })).bytes
  } catch (error) {
    throw error instanceof FetchRefused ? invalidField(path, `cannot be fetched: ${error.message}`) : error
  }
}

async function secondsOfClip(bytes: Uint8Array, path: Path, signal: AbortSignal): Promise<number | undefined> {
  try {
    return (await readVideo(bytes, { frames: 1, hasSound: false, signal })).seconds
  } catch (error) {
    if (!(error instanceof MediaError) || error.reason === 'busy') throw error
    if (error.reason === 'unavailable' || error.reason === 'too-large') return undefined
    throw invalidField(path, `cannot be read: ${error.message}`)
  }
}

function assertLength(seconds: number, path: Path): void {
  const isWithin = seconds >= LEAST_CLIP_SECONDS - TOLERANCE_SECONDS && seconds <= MOST_CLIP_SECONDS + TOLERANCE_SECONDS
  if (!isWithin) throw invalidField(path, `must be from ${LEAST_CLIP_SECONDS} to ${MOST_CLIP_SECONDS} s long`)
}
