import { ALL_FORMATS, BlobSource, BufferTarget, Conversion, Input, Output, WavOutputFormat } from 'mediabunny'
import { FileRefused, MAX_WAV_SECONDS } from '@/lib/browser/files/limits'
import { plural, t } from '@/lib/i18n/t'

/** Hertz. */
const RATE = 16_000

export type ConvertOptions = {
  signal: AbortSignal
  onProgress?: (share: number) => void
  part?: { start: number; end: number }
}

/**
 * Converts any audio that this browser can decode to WAV of one channel at 16 kHz, whole or a part of it.
 * @throws FileRefused when it cannot be decoded or is too long; the signal's reason.
 */
export async function convertAudio(
  blob: Blob,
  { signal, onProgress, part }: ConvertOptions,
): Promise<{ blob: Blob; mediaType: string }> {
  const seconds = part ? part.end - part.start : ((await durationOf(blob)) ?? 0) / 1_000
  if (seconds > MAX_WAV_SECONDS) {
    throw new FileRefused(
      plural(Math.floor(MAX_WAV_SECONDS / 60), {
        one: 'This recording is too long to convert. The limit is {count} minute.',
        other: 'This recording is too long to convert. The limit is {count} minutes.',
      }),
    )
  }
  const input = inputOf(blob)
  const target = new BufferTarget()
  const conversion = await Conversion.init({
    input,
    output: new Output({ format: new WavOutputFormat(), target }),
    video: { discard: true },
    audio: { codec: 'pcm-s16', numberOfChannels: 1, sampleRate: RATE, forceTranscode: true },
    ...(part && { trim: part }),
    tags: {},
    showWarnings: false,
  }).catch(() => undefined)
  if (!conversion?.isValid) {
    input.dispose()
    throw new FileRefused(t('This browser can’t convert this recording. Upload the file as MP3 or WAV.'))
  }
  const cancel = () => void conversion.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    conversion.onProgress = (share) => onProgress?.(share)
    await conversion.execute()
  } catch (error) {
    signal.throwIfAborted()
    throw new FileRefused(t('This recording cannot be converted. It may be damaged.'), { cause: error })
  } finally {
    signal.removeEventListener('abort', cancel)
    input.dispose()
  }
  if (!target.buffer) throw new FileRefused(t('This recording has no audio.'))
  return { blob: new Blob([target.buffer], { type: 'audio/wav' }), mediaType: 'audio/wav' }
}

/** Returns the length of audio or video in milliseconds; `undefined` where its container does not tell. */
export async function durationOf(blob: Blob): Promise<number | undefined> {
  const input = inputOf(blob)
  try {
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration())
    return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1_000) : undefined
  } catch {
    return undefined
  } finally {
    input.dispose()
  }
}

export async function lookAtVideo(blob: Blob): Promise<{ durationMs?: number; width?: number; height?: number }> {
  const durationMs = await durationOf(blob)
  const length = durationMs === undefined ? {} : { durationMs }
  const input = inputOf(blob)
  try {
    const track = await input.getPrimaryVideoTrack()
    if (!track) return length
    return { ...length, width: await track.getDisplayWidth(), height: await track.getDisplayHeight() }
  } catch {
    return length
  } finally {
    input.dispose()
  }
}

const inputOf = (blob: Blob): Input => new Input({ source: new BlobSource(blob), formats: ALL_FORMATS })
