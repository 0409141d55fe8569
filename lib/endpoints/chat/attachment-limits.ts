import 'server-only'
import { ApiError, type ErrorCode, invalidField } from '@/lib/contract/errors'
import type { Attachment, MediaPart } from '@/lib/endpoints/chat/attachments'
import { FetchRefused } from '@/lib/kernel/safe-fetch/safe-fetch'
import { mapLimited } from '@/lib/kernel/semaphore'
import { busyError } from '@/lib/pipeline/error-response'
import { ExtractionError } from '@/lib/services/documents/text-parser'
import type { ContentPart } from '@/lib/services/engines/engine'
import { MediaError } from '@/lib/services/media/media-error'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'

const AT_ONCE = 4
const READ_TIMEOUT_MS = 120_000
/** Media of one request as sent to an engine: an image of a few kilobytes may become megabytes. */
const MAX_MEDIA_CHARS = 128_000_000
/** Copies of a medium that exist at once: itself, the request that carries it, and its bytes. */
const COPIES = 3
const DECODED_SHARE = 1.5

export type AttachmentLimits = {
  memory: MemoryReservation
  assertFits(chars: number): void
  signal: AbortSignal
}

export type AttachmentRead = {
  signal: AbortSignal
  count(bytes: number): void
}

/**
 * Reads attachments within a request's share of this server: number, time and memory. The first failure ends the
 * others.
 *
 * @throws ApiError REQUEST_TIMEOUT; INVALID_REQUEST or context_length_exceeded when they are too large together;
 * SERVICE_UNAVAILABLE when memory is short; and what `read` throws.
 */
export async function readWithinLimits<R extends { parts: ContentPart[] }>(
  attachments: Attachment[],
  limits: AttachmentLimits,
  read: (attachment: Attachment, limits: AttachmentRead) => Promise<R>,
): Promise<R[]> {
  const { memory } = limits
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(tooSlow()), READ_TIMEOUT_MS)
  const signal = AbortSignal.any([limits.signal, ending.signal])
  const total = { text: 0, media: 0 }

  async function readOne(attachment: Attachment): Promise<R> {
    const endTurn = await memory.turn('file', signal)
    const counted: (() => void)[] = []
    const count = (bytes: number) => void counted.push(memory.reserve(bytes))
    try {
      count(mediaChars(attachment.content) * DECODED_SHARE)
      const part = await read(attachment, { signal, count })
      keep(part)
      return part
    } finally {
      for (const giveBack of counted) giveBack()
      endTurn()
    }
  }

  function keep({ parts }: R): void {
    const text = sum(parts.map((part) => (part.type === 'text' ? part.text.length : 0)))
    const media = sum(parts.map(mediaChars))
    total.text += text
    total.media += media
    limits.assertFits(total.text)
    if (total.media > MAX_MEDIA_CHARS) throw tooMuch()
    memory.reserve((text + media) * COPIES)
  }

  try {
    // The body stays in memory until the request ends.
    memory.reserve(sum(attachments.map(({ content }) => mediaChars(content))))
    return await mapLimited(attachments, AT_ONCE, readOne)
  } catch (error) {
    ending.abort(error)
    throw mediaFault(error, ['messages'])
  } finally {
    clearTimeout(timer)
  }
}

function mediaChars(part: MediaPart | ContentPart): number {
  switch (part.type) {
    case 'text':
      return 0
    case 'image_url':
      return part.image_url.url.length
    case 'input_audio':
      return part.input_audio.data.length
    case 'video_url':
      return part.video_url.url.length
    case 'file':
      return part.file.file_data.length
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)

function tooSlow(): ApiError {
  const seconds = READ_TIMEOUT_MS / 1000
  return new ApiError(
    'REQUEST_TIMEOUT',
    `Reading the attachments took longer than ${seconds} s. Send fewer or smaller files.`,
  )
}

function tooMuch(): ApiError {
  const megabytes = MAX_MEDIA_CHARS / 1e6
  return invalidField(
    ['messages'],
    `contains more than ${megabytes} MB of media as a model gets them. Send fewer or smaller files.`,
  )
}

export function mediaFault(error: unknown, path: (string | number)[]): unknown {
  if (error instanceof FetchRefused)
    return fault('INVALID_REQUEST', error, [...path, path.at(-1) === 'file' ? 'file_data' : 'url'])
  if (error instanceof ExtractionError)
    return error.reason === 'busy' ? busyError(error) : fault('INVALID_REQUEST', error, path)
  if (error instanceof MediaError)
    return error.reason === 'busy' ? busyError(error) : fault(codeOf(error, path), error, path)
  return error
}

function codeOf({ reason }: MediaError, path: (string | number)[]): ErrorCode {
  const type = path.at(-1)
  const isNone = reason === 'corrupt' || reason === 'unsupported'
  if (type === 'input_audio') return isNone ? 'INVALID_AUDIO_FORMAT' : 'INVALID_REQUEST'
  if (type === 'video_url') {
    if (reason === 'too-long') return 'VIDEO_DURATION_TOO_LONG'
    return isNone ? 'INVALID_VIDEO_FORMAT' : 'INVALID_REQUEST'
  }
  if (reason === 'too-small') return 'IMAGE_TOO_SMALL'
  if (reason === 'too-large') return 'IMAGE_TOO_LARGE'
  return reason === 'corrupt' ? 'CORRUPTED_IMAGE' : 'INVALID_REQUEST'
}

function fault(code: ErrorCode, error: Error, path: (string | number)[]): ApiError {
  const message = code === 'INVALID_REQUEST' ? 'Invalid request parameters' : error.message
  return new ApiError(code, message, { issues: [{ code: 'custom', path, message: error.message }], cause: error })
}
