import { SPEECH_MEDIA, speechBody, transcriptionForm } from '@/components/studio/audio/audio-model'
import { canHearLive, type LiveSink, openLive } from '@/components/studio/audio/live'
import { transcriptFile, transcriptIn } from '@/components/studio/audio/transcript'
import { closeWav, PCM_RATE } from '@/components/studio/audio/wav'
import type { Sender } from '@/components/studio/sender'
import { API_ROOT, errorOf, postJson } from '@/lib/browser/api'
import type { Generation } from '@/lib/browser/storage/generations'
import type { VideoTranscriptionResponse } from '@/lib/contract/video.schema'
import { t } from '@/lib/i18n/t'

// The service itself gives up sooner.
const TRANSCRIPTION_TIMEOUT_MS = 150_000
const PCM_BYTES_PER_MS = (PCM_RATE * 2) / 1_000

/** Generates speech, heard as it comes where that is wanted. What came of a stream that broke off is kept. */
export const sendSpeech: Sender = async (generation, _inputs, { signal, headers }) => {
  const format = String(generation.settings.format)
  const isHeard = generation.settings.isLive === true && canHearLive(format)
  const response = await postJson(`${API_ROOT}/audio/speech`, speechBody(generation), signal, { ...headers })
  const live = isHeard ? openLive(generation.id, format) : undefined
  const { bytes, isCut } = await readStream(response, live)
  const audio = new Blob(bytes, { type: SPEECH_MEDIA[format] ?? response.headers.get('content-type') ?? '' })
  const data = format === 'wav' ? await closeWav(audio) : audio
  const durationMs = format === 'pcm' ? Math.round(data.size / PCM_BYTES_PER_MS) : await lengthOf(data)
  return { files: [{ data, name: titleOf(generation), durationMs }], isCut }
}

export const sendTranscription: Sender = async (generation, [recording], { signal, headers }) => {
  const response = await fetch(`${API_ROOT}/audio/transcriptions`, {
    method: 'POST',
    headers,
    body: transcriptionForm(generation, recording ?? new Blob()),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TRANSCRIPTION_TIMEOUT_MS)]),
  })
  if (!response.ok) throw await errorOf(response)
  const transcript = transcriptIn(await response.json())
  const data = transcriptFile(transcript, 'json')
  return { files: [{ data, name: t('Transcript') }], text: transcript.text }
}

export const sendVideoTranscription: Sender = async ({ prompt }, _inputs, { signal, headers }) => {
  const body = { url: prompt, response_format: 'json' }
  const response = await postJson(`${API_ROOT}/video/transcriptions`, body, signal, { ...headers })
  const { transcript } = (await response.json()) as VideoTranscriptionResponse
  return { files: [], text: transcript.trim() }
}

/** Fetches a sample of a voice. @throws as `postJson` does. */
export async function fetchSample(body: object, signal: AbortSignal): Promise<Blob> {
  const response = await postJson(`${API_ROOT}/audio/speech`, body, signal)
  return await response.blob()
}

/** Reads a stream to its end and hands each piece on. @throws what broke it off before anything came. */
async function readStream(response: Response, live: LiveSink | undefined) {
  const bytes: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body?.getReader()
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      bytes.push(next.value)
      live?.add(next.value)
    }
    live?.end()
    return { bytes }
  } catch (error) {
    if (bytes.length === 0) throw error
    live?.end()
    return { bytes, isCut: true as const }
  }
}

async function lengthOf(audio: Blob): Promise<number | undefined> {
  const { durationOf } = await import('@/lib/browser/files/audio')
  return await durationOf(audio)
}

function titleOf({ prompt }: Pick<Generation, 'prompt'>): string {
  const name = prompt.trim().split(/\s+/).slice(0, 6).join(' ')
  return /[\p{L}\p{N}]/u.test(name) ? name : t('Speech')
}
