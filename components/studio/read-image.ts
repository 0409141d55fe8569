import { keepFile } from '@/components/studio/store'
import { HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { FileRefused } from '@/lib/browser/files/limits'
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
