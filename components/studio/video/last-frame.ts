import { changeForm } from '@/components/studio/media-form'
import { readVideoImage } from '@/components/studio/read-media'
import { loadFile } from '@/components/studio/store'
import { videoModelsQuery } from '@/components/studio/video/video-model'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

export async function startWithLastFrame(video: CreationFile): Promise<void> {
  const frame = await frameOf(video)
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

export async function saveLastFrame(video: CreationFile): Promise<void> {
  const frame = await frameOf(video)
  if (frame) saveFile(frame.name, frame)
}

async function frameOf(video: CreationFile): Promise<File | undefined> {
  const bytes = await loadFile(video)
  if (!bytes) {
    showToast({ text: t('This file is no longer on this device.') })
    return undefined
  }
  try {
    return new File([await lastFrameOf(bytes)], fileNameOf(video.name, 'png'), { type: 'image/png' })
  } catch {
    showToast({ text: t('This browser cannot extract a frame from this video.') })
    return undefined
  }
}

// At the very end there may be no frame.
const BEFORE_END_SECONDS = 0.05
const TIMEOUT_MS = 15_000

/** Returns the last frame as PNG. @throws Error where this browser cannot play the video. */
async function lastFrameOf(bytes: Blob): Promise<Blob> {
  const url = URL.createObjectURL(bytes)
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  video.src = url
  try {
    await once(video, 'loadeddata')
    video.currentTime = Math.max(0, video.duration - BEFORE_END_SECONDS)
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
    const timer = setTimeout(() => reject(new Error('the video does not play')), TIMEOUT_MS)
    const settle = (end: () => void) => () => {
      clearTimeout(timer)
      end()
    }
    video.addEventListener(name, settle(resolve), { once: true })
    video.addEventListener(
      'error',
      settle(() => reject(new Error('the video does not play'))),
      { once: true },
    )
  })
}
