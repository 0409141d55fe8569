// Entry of the child process that transcribes with Moonshine tiny. Node runs it unbundled.
import llamaTokenizer from 'llama-tokenizer-js'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { serveTasks } from '../task-child.ts'
import { AUDIO_SAMPLE_RATE, type TranscriptionInput, type TranscriptionOutput } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { likeliest, MergedDecoder, repetitionStart } from './merged-decoder.ts'

serveTasks<TranscriptionInput, TranscriptionOutput>(async (paths) => {
  const model = await loadMoonshine(paths)
  return async ({ samples }, signal) => ({ text: await transcribe(model, samples, signal), language: 'en' })
})

const SHAPE = { layers: 6, heads: 8, headWidth: 36 }

const START_TOKEN = 1
const END_TOKEN = 2
const TEXT_TOKENS = 32_000
const MAX_TOKENS_PER_SECOND = 6.5
const MIN_TOKENS = 4

const MIN_SAMPLES = AUDIO_SAMPLE_RATE / 2

type Moonshine = { encoder: InferenceSession; decoder: InferenceSession }

async function loadMoonshine(paths: Record<string, string>): Promise<Moonshine> {
  const [encoder, decoder] = await Promise.all([openSession(paths['encoder.onnx']), openSession(paths['decoder.onnx'])])
  return { encoder, decoder }
}

async function transcribe({ encoder, decoder }: Moonshine, audio: Float32Array, signal: AbortSignal): Promise<string> {
  const samples = padded(audio)
  const { last_hidden_state: states } = await encoder.run({
    input_values: new Tensor('float32', samples, [1, samples.length]),
  })
  if (!states) throw new Error('the encoder gave no states')
  const writer = new MergedDecoder(decoder, SHAPE, states)
  const maxTokens = Math.max(MIN_TOKENS, Math.ceil((audio.length / AUDIO_SAMPLE_RATE) * MAX_TOKENS_PER_SECOND))
  const tokens: number[] = []
  let token = START_TOKEN
  while (tokens.length < maxTokens) {
    signal.throwIfAborted()
    token = likeliest(await writer.next(token))
    if (token === END_TOKEN) break
    tokens.push(token)
    const end = repetitionStart(tokens)
    if (end !== undefined) {
      tokens.length = end
      break
    }
  }
  return llamaTokenizer.decode(
    tokens.filter((id) => id > END_TOKEN && id < TEXT_TOKENS),
    false,
    false,
  )
}

// Copies samples to memory of their own and removes NaN, which would spread through the model.
function padded(audio: Float32Array): Float32Array {
  const samples = new Float32Array(Math.max(MIN_SAMPLES, audio.length))
  for (const [index, sample] of audio.entries()) {
    samples[index] = Number.isNaN(sample) ? 0 : Math.min(1, Math.max(-1, sample))
  }
  return samples
}
