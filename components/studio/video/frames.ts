/** How far from its end the last picture of a film is looked for: at the very end there may be none. Seconds. */
const BEFORE_END = 0.05
const TIMEOUT_MS = 15_000

/** A file as a data URL. */
export function readDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}

/**
 * The last picture of a film, as PNG: what the next film can begin with.
 *
 * @throws Error where this browser cannot play it.
 */
export async function lastFrameOf(film: Blob): Promise<Blob> {
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
