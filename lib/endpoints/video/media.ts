import 'server-only'
import { invalidField } from '@/lib/contract/errors'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import type { VideoQueueRequest } from '@/lib/contract/video.schema'
import { MEGABYTE } from '@/lib/kernel/byte-size'
import { FetchRefused, safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { busyError } from '@/lib/pipeline/error-response'
import { EngineError } from '@/lib/services/engines/engine'
import { dataUrlOf, parseDataUrl } from '@/lib/services/media/data-url'
import { MediaError } from '@/lib/services/media/media-error'
import { openMemoryReservation } from '@/lib/services/media/memory-budget'
import { readVideo } from '@/lib/services/media/recording'
import { sniffAudio, sniffImage, videoKind } from '@/lib/services/media/sniff'

// Source: API contract, video.md.
const MAX_BYTES = { image: MAX_FILE_BYTES, audio: 15 * MEGABYTE, video: 50 * MEGABYTE }
type Kind = keyof typeof MAX_BYTES
const NOUN = { image: 'an image', audio: 'a WAV or MP3 recording', video: 'an MP4, MOV or WebM video' }

type Path = (string | number)[]
type Address = { path: Path; kind: Kind; url: string }

function addressesOf(input: VideoInput): Address[] {
  const one = (path: Path, kind: Kind, url: string | undefined): Address[] =>
    url === undefined ? [] : [{ path, kind, url }]
  const many = (path: Path, kind: Kind, urls: string[] | undefined): Address[] =>
    (urls ?? []).map((url, index) => ({ path: [...path, index], kind, url }))
  return [
    ...one(['image_url'], 'image', input.image_url),
    ...one(['end_image_url'], 'image', input.end_image_url),
    ...one(['audio_url'], 'audio', input.audio_url),
    ...one(['video_url'], 'video', input.video_url),
    ...many(['reference_image_urls'], 'image', input.reference_image_urls),
    ...many(['reference_video_urls'], 'video', input.reference_video_urls),
    ...many(['reference_audio_urls'], 'audio', input.reference_audio_urls),
    ...many(['scene_image_urls'], 'image', input.scene_image_urls),
    ...(input.elements ?? []).flatMap((element, index) => [
      ...one(['elements', index, 'frontal_image_url'], 'image', element.frontal_image_url),
      ...many(['elements', index, 'reference_image_urls'], 'image', element.reference_image_urls),
      ...one(['elements', index, 'video_url'], 'video', element.video_url),
    ]),
  ]
}

/** Rejects inline media that are not what their field is for. The job checks what has an address. */
export function assertMedia(input: VideoInput): void {
  for (const { path, kind, url } of addressesOf(input)) {
    if (!/^data:/i.test(url)) continue
    const bytes = parseDataUrl(url)?.bytes
    if (!bytes) throw invalidField(path, 'is not a data URL in base64')
    if (bytes.length > MAX_BYTES[kind]) throw invalidField(path, `is larger than ${MAX_BYTES[kind] / MEGABYTE} MB`)
    if (mimeOf(bytes, kind) === undefined) throw invalidField(path, `is not ${NOUN[kind]}`)
  }
}

/**
 * Fetches all media with an address, by the rules for outside addresses, so that no provider is sent to an address that
 * a caller made up. @throws EngineError `invalid-request` for media that cannot be fetched, or are something else.
 */
export async function withMedia(input: VideoInput, signal: AbortSignal): Promise<VideoInput> {
  const filled = structuredClone(input)
  for (const { path, kind, url } of addressesOf(input)) {
    if (/^data:/i.test(url)) continue
    place(filled, path, await fetched(path, kind, url, signal))
  }
  return filled
}

async function fetched(path: Path, kind: Kind, url: string, signal: AbortSignal): Promise<string> {
  const where = path.join('.')
  let bytes: Uint8Array
  try {
    bytes = (await safeFetch(url, { maxBytes: MAX_BYTES[kind], signal })).bytes
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    throw new EngineError('invalid-request', `The address in ${where} could not be fetched.`, { cause })
  }
  const mime = mimeOf(bytes, kind)
  if (mime === undefined)
    throw new EngineError('invalid-request', `What stands at the address in ${where} is not ${NOUN[kind]}.`)
  return dataUrlOf({ mime, bytes })
}

function mimeOf(bytes: Uint8Array, kind: Kind): string | undefined {
  if (kind === 'video') return videoKind(bytes)?.mime
  if (kind === 'audio') {
    const audio = sniffAudio(bytes)
    return audio === 'wav' ? 'audio/wav' : audio === 'mp3' ? 'audio/mpeg' : undefined
  }
  const image = sniffImage(bytes)
  return image && `image/${image}`
}

function place(target: unknown, path: Path, value: string): void {
  let node = target as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) node = node[step] as Record<string | number, unknown>
  node[path.at(-1) as string | number] = value
}

/** Fields of a job as its row keeps them. */
export type VideoInput = Omit<VideoQueueRequest, 'model'>

// Source: API contract, video.md, `reference_video_urls`.
const MIN_CLIP_SECONDS = 2
const MAX_CLIP_SECONDS = 15
export const MAX_REFERENCE_SECONDS = 15
// A clip states its length in milliseconds, and cutters are a frame off.
const TOLERANCE_SECONDS = 0.1

/**
 * Measures the reference clips together; undefined where a clip is too large to be opened, or there is no ffmpeg.
 * @throws ApiError INVALID_REQUEST naming the clip that is none, cannot be fetched, or is too short or too long;
 * SERVICE_UNAVAILABLE when too many are read at once.
 */
export async function referenceSeconds(
  urls: string[],
  { accountId, signal }: { accountId: string; signal: AbortSignal },
): Promise<number | undefined> {
  const memory = openMemoryReservation(accountId)
  try {
    let total = 0
    for (const [index, url] of urls.entries()) {
      const path = ['reference_video_urls', index]
      const bytes = await clipOf(url, path, signal)
      const giveBack = memory.reserve(bytes.length)
      const endTurn = await memory.turn('file', signal)
      const seconds = await secondsOfClip(bytes, path, signal).finally(endTurn)
      giveBack()
      if (seconds === undefined) return undefined
      assertLength(seconds, path)
      total += seconds
    }
    if (total <= MAX_REFERENCE_SECONDS + TOLERANCE_SECONDS) return Math.min(total, MAX_REFERENCE_SECONDS)
    throw invalidField(['reference_video_urls'], `must be at most ${MAX_REFERENCE_SECONDS} s long together`)
  } catch (error) {
    if (!(error instanceof MediaError && error.reason === 'busy')) throw error
    throw busyError(error)
  } finally {
    memory.close()
  }
}

async function clipOf(url: string, path: Path, signal: AbortSignal): Promise<Uint8Array> {
  // What stands in the body was looked at by `assertMedia`.
  if (/^data:/i.test(url)) return parseDataUrl(url)?.bytes ?? new Uint8Array()
  try {
    return (await safeFetch(url, { maxBytes: MAX_BYTES.video, signal })).bytes
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
  const isWithin = seconds >= MIN_CLIP_SECONDS - TOLERANCE_SECONDS && seconds <= MAX_CLIP_SECONDS + TOLERANCE_SECONDS
  if (!isWithin) throw invalidField(path, `must be from ${MIN_CLIP_SECONDS} to ${MAX_CLIP_SECONDS} s long`)
}
