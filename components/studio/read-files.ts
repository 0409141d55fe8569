import { isTaken } from '@/components/studio/audio/requests'
import { keepFile } from '@/components/studio/store'
import { HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { FileRefused, MAX_AUDIO_MS } from '@/lib/browser/files/limits'
import { readFile } from '@/lib/browser/files/read-file'
import { formatSize } from '@/lib/browser/format/size'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { MAX_EDIT_PIXELS, MAX_FILE_BYTES, MIN_EDIT_PIXELS } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/**
 * Reads an image and keeps it unchanged: the service removes its metadata. Its content tells what it is. @throws
 * FileRefused with the reason.
 */
export async function readImage(file: File): Promise<CreationFile> {
  if (file.size === 0) throw new FileRefused(t('This file is empty.'))
  if (file.size > MAX_FILE_BYTES)
    throw new FileRefused(t('This image is too large. The limit is {most}.', { most: formatSize(MAX_FILE_BYTES) }))
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const kind = kindOf(head, file.name, file.type)
  if (kind?.kind !== 'image') {
    throw new FileRefused(
      t('“{name}” is not a supported image. Use PNG, JPEG, WebP, GIF, AVIF or HEIC.', { name: file.name }),
    )
  }
  const size = await sizeOf(file, kind.mediaType)
  if (size) assertSize(size)
  return await keepFile(file, { name: file.name, mediaType: kind.mediaType, ...size })
}

type Size = { width: number; height: number }

// Undefined for what this browser cannot open but the service can.
async function sizeOf(file: Blob, mediaType: string): Promise<Size | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) {
    if (mediaType === 'image/heic' || mediaType === 'image/avif') return undefined
    throw new FileRefused(t('This image cannot be opened. It may be damaged.'))
  }
  const { width, height } = bitmap
  bitmap.close()
  return { width, height }
}

/** @throws FileRefused */
export function assertSize({ width, height }: Size): void {
  const pixels = { width: String(width), height: String(height) }
  if (width * height < MIN_EDIT_PIXELS) {
    throw new FileRefused(t('This image is {width} × {height} pixels. Models need at least 256 × 256.', pixels))
  }
  if (width * height > MAX_EDIT_PIXELS) {
    throw new FileRefused(
      t('This image is {width} × {height} pixels. The limit is {millions} million pixels.', {
        ...pixels,
        millions: Math.floor(MAX_EDIT_PIXELS / 1_000_000),
      }),
    )
  }
}

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
      t('This file is {size}. The limit is {most}.', {
        size: formatSize(size),
        most: formatSize(MAX_SOURCE_BYTES),
      }),
    )
  }
  const kind = kindOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), name, file.type)
  if (kind?.kind !== 'audio' && kind?.kind !== 'video') {
    throw new FileRefused(t('“{name}” is not an audio or video file.', { name }))
  }
  const { convertSound, durationOf } = await import('@/lib/browser/files/sound')
  const durationMs = await durationOf(file)
  if (durationMs !== undefined && durationMs > MAX_AUDIO_MS) {
    throw new FileRefused(t('This recording is longer than 30 minutes. Split it into shorter parts.'))
  }
  const isSentAsItIs = isTaken(kind.mediaType) && !kind.isForeignSound && size <= MAX_FILE_BYTES
  if (isSentAsItIs) {
    return await keepFile(file, { name, mediaType: kind.mediaType, durationMs })
  }
  const sound = await convertSound(file, { signal: new AbortController().signal })
  return await keepFile(sound.blob, {
    name,
    mediaType: sound.mediaType,
    durationMs: durationMs ?? (await durationOf(sound.blob)),
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
  const { kind: _, ...picture } = attachment
  return picture
}
