import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES } from '@/lib/contract/limits'
import type { FormFile } from '@/lib/pipeline/body'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { MediaError } from '@/lib/services/media/media-error'
import { audioOf, type DecodedAudio, decodeAudio } from '@/lib/services/media/recording'
import { type AudioKind, sniffAudio, videoKind } from '@/lib/services/media/sniff'
import { readWav, SAMPLE_BYTES } from '@/lib/services/media/wav'

export const MAX_RECORDING_BYTES = MAX_FILE_BYTES

// Source: API contract, audio.md.
const EXTENSIONS = ['wav', 'wave', 'flac', 'm4a', 'aac', 'mp4', 'mp3', 'ogg', 'oga', 'webm']
const TYPES =
  /^(audio\/(wav|wave|x-wav|vnd\.wave|flac|x-flac|mp4|m4a|x-m4a|aac|aacp|x-aac|mpeg|mp3|ogg|opus|webm)|video\/(mp4|webm)|application\/(ogg|octet-stream))(;|$)/i

// No codec produces less.
const MIN_BYTES_PER_SECOND = 250

type Kind = Exclude<AudioKind, 'aiff'> | 'webm'

export type Recording = { bytes: Uint8Array<ArrayBuffer>; kind: Kind }

const FILE_OF: Record<Kind, { name: string; type: string }> = {
  wav: { name: 'audio.wav', type: 'audio/wav' },
  mp3: { name: 'audio.mp3', type: 'audio/mpeg' },
  aac: { name: 'audio.aac', type: 'audio/aac' },
  ogg: { name: 'audio.ogg', type: 'audio/ogg' },
  flac: { name: 'audio.flac', type: 'audio/flac' },
  mov: { name: 'audio.m4a', type: 'audio/mp4' },
  webm: { name: 'audio.webm', type: 'audio/webm' },
}

/**
 * Checks the stated type and the content of a file. @throws ApiError INVALID_AUDIO_FORMAT 400;
 * ASR_UPSTREAM_VALIDATION_FAILED 422 when it is empty.
 */
export function recordingOf({ bytes, name, type }: FormFile): Recording {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase()
  const isNamed = extension === undefined ? TYPES.test(type) : EXTENSIONS.includes(extension)
  const isTyped = type === '' || TYPES.test(type)
  if (!isNamed || !isTyped) throw wrongFormat('The file is of a type that is not accepted.')
  if (bytes.length === 0) throw unusable('The file is empty.')
  const kind = kindOf(bytes)
  if (kind === undefined) throw wrongFormat('The file is not what its name says: its content is none of these formats.')
  return { bytes, kind }
}

/** Renames a recording for an engine elsewhere: the caller's name could say anything. */
export const fileOf = ({ bytes, kind }: Recording) => ({ bytes, ...FILE_OF[kind] })

/** Bounds the length in seconds without reading the recording. */
export function secondsAtMost({ bytes, kind }: Recording): number {
  return Math.min(MAX_AUDIO_SECONDS, (kind === 'wav' && wavSeconds(bytes)) || bytes.length / MIN_BYTES_PER_SECOND)
}

/** Decodes a recording. @throws ApiError ASR_UPSTREAM_VALIDATION_FAILED 422, SERVICE_UNAVAILABLE 503. */
export async function recordedAudio({ bytes, kind }: Recording, signal: AbortSignal): Promise<DecodedAudio> {
  try {
    if (kind !== 'webm') return await decodeAudio(bytes, 'wav', { signal })
    const { sound: audio = new Uint8Array() } = await ffmpegPool().run(
      { type: 'sound', bytes, demuxer: 'matroska' },
      signal,
    )
    return await audioOf(audio, signal)
  } catch (error) {
    throw error instanceof MediaError ? fault(error) : error
  }
}

export function unusable(message: string, cause?: unknown): ApiError {
  return new ApiError('ASR_UPSTREAM_VALIDATION_FAILED', message, { cause })
}

export function fault(error: MediaError): ApiError {
  if (error.reason !== 'busy' && error.reason !== 'unavailable') return unusable(error.message, error)
  return new ApiError('SERVICE_UNAVAILABLE', error.message, {
    cause: error,
    retryAfterSeconds: error.reason === 'busy' ? 5 : undefined,
  })
}

function kindOf(bytes: Uint8Array): Kind | undefined {
  const kind = sniffAudio(bytes)
  if (kind === 'aiff') return undefined
  return kind ?? (videoKind(bytes)?.demuxer === 'matroska' ? 'webm' : undefined)
}

function wavSeconds(bytes: Uint8Array): number | undefined {
  try {
    const pcm = readWav(bytes)
    return pcm && pcm.bytes.length / (SAMPLE_BYTES[pcm.encoding] * pcm.channels * pcm.rate)
  } catch {
    // Damaged: the work says so, and is free.
    return undefined
  }
}

const wrongFormat = (message: string) =>
  new ApiError('INVALID_AUDIO_FORMAT', `${message} Send ${EXTENSIONS.join(', ')}.`)
