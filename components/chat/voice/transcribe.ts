import { API_ROOT, errorOf } from '@/lib/browser/api'
import { convertSound } from '@/lib/browser/files/sound'

/** The service itself gives up sooner. */
const TIMEOUT_MS = 150_000

/**
 * Has a recording written down by the service. It is sent as WAV, which every service reads; what this browser cannot
 * convert goes as it is.
 *
 * @throws ApiError, TypeError or DOMException as `fetch` does; the signal's reason.
 */
export async function transcribe(
  recording: File,
  model: string,
  signal: AbortSignal,
): Promise<{ text: string; seconds: number }> {
  const form = new FormData()
  form.set('file', await readable(recording, signal))
  form.set('model', model)
  const response = await fetch(`${API_ROOT}/audio/transcriptions`, {
    method: 'POST',
    body: form,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  if (!response.ok) throw await errorOf(response)
  const { text, duration } = (await response.json()) as { text: string; duration?: number }
  return { text: text.trim(), seconds: duration ?? 0 }
}

async function readable(recording: File, signal: AbortSignal): Promise<File> {
  try {
    const { blob } = await convertSound(recording, { signal })
    return new File([blob], 'dictation.wav', { type: 'audio/wav' })
  } catch (error) {
    if (signal.aborted) throw error
    const ending = recording.type.split('/')[1] ?? 'webm'
    return new File([recording], `dictation.${ending}`, { type: recording.type })
  }
}
