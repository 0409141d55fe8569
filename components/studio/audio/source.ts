import { isTaken } from '@/components/studio/audio/request'
import { keepFile } from '@/components/studio/store'
import { FileRefused } from '@/lib/browser/files/file-refused'
import { HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { formatSize, MAX_AUDIO_MS } from '@/lib/browser/files/limits'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/** A film is read for its sound only, piece by piece; of more than this a phone does not see the end. */
const MOST_SOURCE_BYTES = 1_000_000_000

/**
 * Reads a recording or a film that a person chose, and keeps what will be sent of it: itself where the service takes it, else
 * its sound as WAV. What it is, its content tells.
 *
 * @throws FileRefused with the reason.
 */
export async function readRecording(file: File): Promise<CreationFile> {
  const { name, size } = file
  if (size === 0) throw new FileRefused(t('This file is empty.'))
  if (size > MOST_SOURCE_BYTES) {
    throw new FileRefused(
      t('This file is {size}. The limit is {most}.', {
        ...{ size: formatSize(size), most: formatSize(MOST_SOURCE_BYTES) },
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
    return await keepFile(file, { name, mediaType: kind.mediaType, ...(durationMs !== undefined && { durationMs }) })
  }
  const sound = await convertSound(file, { signal: new AbortController().signal })
  const soundMs = durationMs ?? (await durationOf(sound.blob))
  return await keepFile(sound.blob, {
    ...{ name, mediaType: sound.mediaType },
    ...(soundMs !== undefined && { durationMs: soundMs }),
  })
}
