import path from 'node:path'
import { textPicture } from '@/e2e/testing/local-site'
import { createSpeech } from '@/lib/services/engines/embedded/speech/speech'
import { makeWithFfmpeg } from '@/lib/services/media/testing'
import { joined, writeWav } from '@/lib/services/media/wav'

const SPEECH_RATE = 24_000
const WAV_HEADER_BYTES = 44

/** What the listener hears word for word in this voice. */
export const SENTENCE = 'The library closes early.'
export const CAPTION = 'LIBRARY OPENING HOURS'

export type Recordings = { wav: Uint8Array; mp3: Uint8Array; pcm16: Uint8Array; film: Uint8Array }

/** A sentence that the embedded speech engine says, in three formats, and a short film with a caption in which it is said. */
export async function makeRecordings(): Promise<Recordings> {
  const wav = writeWav(await spoken(SENTENCE), SPEECH_RATE)
  const files = { 'sound.wav': wav, 'caption.png': await textPicture(CAPTION) }
  const still = ['-loop', '1', '-framerate', '5', '-i', 'caption.png', '-i', 'sound.wav', '-shortest']
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  const [mp3, film] = makeWithFfmpeg(
    { args: ['-i', 'sound.wav', '-c:a', 'libmp3lame', 'sound.mp3'], files },
    { args: [...still, ...codecs, 'film.mp4'], files },
  )
  // Bare samples are a WAV file without its head.
  return { wav, mp3: mp3!, pcm16: wav.subarray(WAV_HEADER_BYTES), film: film! }
}

async function spoken(text: string): Promise<Float32Array> {
  const speech = createSpeech({ dataDir: path.resolve('.cache'), profile: 'lean' })
  try {
    const parts = speech.speak({ text, voice: 'af_heart' }, new AbortController().signal)
    return joined(await Array.fromAsync(parts, ({ samples }) => samples))
  } finally {
    await speech.close()
  }
}
