import { isAcceptedAudio } from '@/components/studio/audio/audio-model'
import { keepFile } from '@/components/studio/store'
import { HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { FileRefused, MAX_AUDIO_MS } from '@/lib/browser/files/limits'
import { readFile } from '@/lib/browser/files/read-file'
import { formatSize } from '@/lib/browser/format/numbers'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

// Of a video only the sound is read, piece by piece; with more than this a phone does not finish.
const MAX_SOURCE_BYTES = 1_000_000_000

/**
 * Reads a recording or video and keeps what will be sent: itself where the service takes it, else its sound as WAV.
 * @throws FileRefused with the reason.
 */
export async function readRecording(file: File): Promise<CreationFile> {
  const { name, size } = file
  if (size === 0) throw new FileRefused(t('This file is empty.'))
  if (size > MAX_SOURCE_BYTES) {
    throw new FileRefused(
      t('This file is {size}. The limit is {most}.', { size: formatSize(size), most: formatSize(MAX_SOURCE_BYTES) }),
    )
  }
  const kind = kindOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), name, file.type)
  if (kind?.kind !== 'audio' && kind?.kind !== 'video') {
    throw new FileRefused(t('“{name}” is not an audio or video file.', { name }))
  }
  const { convertAudio, durationOf } = await import('@/lib/browser/files/audio')
  const durationMs = await durationOf(file)
  if (durationMs !== undefined && durationMs > MAX_AUDIO_MS) {
    throw new FileRefused(t('This recording is longer than 30 minutes. Split it into shorter parts.'))
  }
  const isSentAsItIs = isAcceptedAudio(kind.mediaType) && !kind.isForeignAudio && size <= MAX_FILE_BYTES
  if (isSentAsItIs) {
    return await keepFile(file, { name, mediaType: kind.mediaType, durationMs })
  }
  const audio = await convertAudio(file, { signal: new AbortController().signal })
  return await keepFile(audio.blob, {
    name,
    mediaType: audio.mediaType,
    durationMs: durationMs ?? (await durationOf(audio.blob)),
  })
}

/**
 * Reads a start or end image of a video and keeps it, made small: two of them have to go into one request. @throws
 * FileRefused with the reason.
 */
export async function readVideoImage(file: File): Promise<CreationFile> {
  const { name, type } = file
  const kind = kindOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), name, type)
  if (kind && kind.kind !== 'image') {
    throw new FileRefused(t('“{name}” is not an image.', { name }))
  }
  const { attachment } = await readFile(file, new AbortController().signal)
  if (attachment.kind !== 'image') {
    throw new FileRefused(t('“{name}” is not an image.', { name }))
  }
  const { kind: _, ...image } = attachment
  return image
}
