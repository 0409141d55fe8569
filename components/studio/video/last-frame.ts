import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/client/queries'
import { fileNameOf, saveFile } from '@/lib/client/save-file'
import type { CreationFile } from '@/lib/client/studio/creation'
import { loadFile } from '@/lib/client/studio/files'
import { changeForm } from '@/lib/client/studio/media-form'
import { lastFrameOf } from '@/lib/client/studio/video-frames'
import { videoModelsQuery } from '@/lib/client/studio/video-models'
import { readFilmPicture } from '@/lib/client/studio/video-picture'
import { t } from '@/lib/i18n/t'

/** Puts the last picture of a film where the next one begins. */
export async function beginWithLastFrame(film: CreationFile): Promise<void> {
  const frame = await frameOf(film)
  if (!frame) return
  const models = await queryClient()
    .ensureQueryData(videoModelsQuery())
    .catch(() => [])
  const able = models.find(({ from }) => from !== 'text')
  if (!able) return showToast({ text: t('No model of this service begins with a picture.') })
  changeForm('video', { inputs: [await readFilmPicture(frame)], modelId: able.id })
  document.getElementById('studio-form')?.scrollIntoView({ block: 'start' })
  showToast({ text: t('The next film begins with this picture.') })
}

export async function saveLastFrame(film: CreationFile): Promise<void> {
  const frame = await frameOf(film)
  if (frame) saveFile(frame.name, frame)
}

async function frameOf(film: CreationFile): Promise<File | undefined> {
  const bytes = await loadFile(film)
  if (!bytes) {
    showToast({ text: t('This file is not on this device any more.') })
    return undefined
  }
  try {
    return new File([await lastFrameOf(bytes)], fileNameOf(film.name, 'png'), { type: 'image/png' })
  } catch {
    showToast({ text: t('This browser cannot take a picture out of this film.') })
    return undefined
  }
}
