/** Entry of the child process that reads text aloud. Node runs it as it stands. */

import { serveTasks } from '../task-child.ts'
import { phonemesOf } from './english-phonemes.ts'
import { loadKokoro, speak } from './kokoro.ts'
import type { SpeechInput, SpeechOutput } from './protocol.ts'

serveTasks<SpeechInput, SpeechOutput>(async (paths) => {
  const model = await loadKokoro(paths)
  return async ({ text, voice, speed }, signal) => {
    const phonemes = phonemesOf(text, voice.startsWith('b') ? 'en-GB' : 'en-US')
    const stretches: Float32Array[] = []
    for await (const samples of speak(model, { phonemes, voice, speed })) {
      signal.throwIfAborted()
      stretches.push(samples)
    }
    return { samples: joined(stretches) }
  }
})

function joined(stretches: Float32Array[]): Float32Array {
  const samples = new Float32Array(stretches.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const stretch of stretches) {
    samples.set(stretch, offset)
    offset += stretch.length
  }
  return samples
}
