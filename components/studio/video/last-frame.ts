import { changeForm } from '@/components/studio/media-form'
import { readVideoImage } from '@/components/studio/read-files'
import { loadFile } from '@/components/studio/store'
import { videoModelsQuery } from '@/components/studio/video/video-model'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Puts the last picture of a film where the next one begins. */
export async function startWithLastFrame(film: CreationFile): Promise<void> {
  const frame = await frameOf(film)
  if (!frame) return
  const models = await queryClient()
    .ensureQueryData(videoModelsQuery())
    .catch(() => [])
  const able = models.find(({ from }) => from !== 'text')
  if (!able) return showToast({ text: t('No connected model accepts a start image.') })
  changeForm('video', { inputs: [await readVideoImage(frame)], modelId: able.id })
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

/** How far from its end the last picture of a film is looked for: at the very end there may be none. Seconds. */
const BEFORE_END = 0.05
const TIMEOUT_MS = 15_000

/**
 * The last picture of a film, as PNG: what the next film can begin with.
 *
 * @throws Error where this browser cannot play it.
 */
async function lastFrameOf(film: Blob): Promise<Blob> {
  const url = URL.createObjectURL(film)
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  video.src = url
  try {
    await once(video, 'loadeddata')
    video.currentTime = Math.max(0, video.duration - BEFORE_END)
    await once(video, 'seeked')
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    context.drawImage(video, 0, 0)
    return await canvas.convertToBlob({ type: 'image/png' })
  } finally {
    video.removeAttribute('src')
    URL.revokeObjectURL(url)
  }
}

function once(video: HTMLVideoElement, name: 'loadeddata' | 'seeked'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the film does not play')), TIMEOUT_MS)
    const settle = (end: () => void) => () => {
      clearTimeout(timer)
      end()
    }
    video.addEventListener(name, settle(resolve), { once: true })
    video.addEventListener(
      'error',
      settle(() => reject(new Error('the film does not play'))),
      { once: true },
    )
  })
}
