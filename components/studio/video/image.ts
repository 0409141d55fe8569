import { FileRefused } from '@/lib/browser/files/file-refused'
import { HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { readFile } from '@/lib/browser/files/read-file'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/**
 * Reads a picture that a film is to begin or to end with, and keeps it, made as small as films are: two of them have to go
 * into one request.
 *
 * @throws FileRefused with the reason.
 */
export async function readFilmPicture(file: File): Promise<CreationFile> {
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
