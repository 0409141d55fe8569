import { loadFile } from '@/components/studio/files'
import { changeForm } from '@/components/studio/media-form'
import { lastFrameOf } from '@/components/studio/video/frames'
import { readFilmPicture } from '@/components/studio/video/image'
import { videoModelsQuery } from '@/components/studio/video/models'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Puts the last picture of a film where the next one begins. */
export async function beginWithLastFrame(film: CreationFile): Promise<void> {
  const frame = await frameOf(film)
  if (!frame) return
  const models = await queryClient()
    .ensureQueryData(videoModelsQuery())
    .catch(() => [])
  const able = models.find(({ from }) => from !== 'text')
  if (!able) return showToast({ text: t('No connected model accepts a start image.') })
  changeForm('video', { inputs: [await readFilmPicture(frame)], modelId: able.id })
  document.getElementById('studio-form')?.scrollIntoView({ block: 'start' })
  showToast({ text: t('Frame set as the start image of the next video.') })
}

export async function saveLastFrame(film: CreationFile): Promise<void> {
  const frame = await frameOf(film)
  if (frame) saveFile(frame.name, frame)
}

async function frameOf(film: CreationFile): Promise<File | undefined> {
  const bytes = await loadFile(film)
  if (!bytes) {
    showToast({ text: t('This file is no longer on this device.') })
    return undefined
  }
  try {
    return new File([await lastFrameOf(bytes)], fileNameOf(film.name, 'png'), { type: 'image/png' })
  } catch {
    showToast({ text: t('This browser cannot extract a frame from this video.') })
    return undefined
  }
}
