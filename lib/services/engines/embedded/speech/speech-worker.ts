// Entry of the child process that speaks with Kokoro. Node runs it unbundled.
import { open, readFile } from 'node:fs/promises'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { joined } from '../../../media/wav.ts'
import { serveTasks } from '../task-child.ts'
import type { SpeechInput, SpeechOutput } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { phonemesOf } from './english-phonemes.ts'
import { KOKORO_VOICES } from './voices.ts'

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

const MAX_PHONEMES = 510
const STYLES = 510
const STYLE_NUMBERS = 256
const STYLE_BYTES = STYLE_NUMBERS * 4
const MARK = 0

type Kokoro = { session: InferenceSession; vocabulary: Record<string, number>; voicesFile: string }

async function loadKokoro(paths: Record<string, string>): Promise<Kokoro> {
  const { 'tokenizer.json': tokenizer = '', 'voices.bin': voicesFile = '' } = paths
  const { model } = JSON.parse(await readFile(tokenizer, 'utf8')) as { model: { vocab: Record<string, number> } }
  return { session: await openSession(paths['model.onnx']), vocabulary: model.vocab, voicesFile }
}

async function* speak(
  { session, vocabulary, voicesFile }: Kokoro,
  { phonemes, voice, speed }: { phonemes: string; voice: string; speed: number },
): AsyncGenerator<Float32Array> {
  for (const stretch of stretchesOf(phonemes)) {
    const ids = Array.from(stretch, (phoneme) => vocabulary[phoneme]).filter((id) => id !== undefined)
    if (ids.length === 0) continue
    const style = await styleOf(voicesFile, voice, ids.length)
    const { waveform } = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from([MARK, ...ids, MARK], BigInt), [1, ids.length + 2]),
      style: new Tensor('float32', style, [1, STYLE_NUMBERS]),
      speed: new Tensor('float32', [speed], [1]),
    })
    if (!(waveform?.data instanceof Float32Array)) throw new Error('the model gave no sound')
    yield waveform.data
  }
}

function* stretchesOf(phonemes: string): Generator<string> {
  let rest = phonemes
  while (rest.length > MAX_PHONEMES) {
    const space = rest.lastIndexOf(' ', MAX_PHONEMES)
    const end = space > 0 ? space : MAX_PHONEMES
    yield rest.slice(0, end)
    rest = rest.slice(end).trimStart()
  }
  yield rest
}

async function styleOf(voicesFile: string, voice: string, phonemes: number): Promise<Float32Array> {
  const voiceIndex = (KOKORO_VOICES as readonly string[]).indexOf(voice)
  if (voiceIndex < 0) throw new Error(`there is no voice ${voice}`)
  const style = new Float32Array(STYLE_NUMBERS)
  const file = await open(voicesFile)
  try {
    const position = (voiceIndex * STYLES + Math.min(phonemes, STYLES) - 1) * STYLE_BYTES
    const { bytesRead } = await file.read(new Uint8Array(style.buffer), 0, STYLE_BYTES, position)
    if (bytesRead < STYLE_BYTES) throw new Error('the voices are cut short')
    return style
  } finally {
    await file.close()
  }
}
