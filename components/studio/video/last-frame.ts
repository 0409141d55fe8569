// At the very end there may be no frame.
const BEFORE_END_SECONDS = 0.05
const TIMEOUT_MS = 15_000

/** Returns the last frame as PNG. @throws Error where this browser cannot play the video. */
export async function lastFrameOf(bytes: Blob): Promise<Blob> {
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
