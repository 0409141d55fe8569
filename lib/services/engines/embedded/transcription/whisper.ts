import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { AUDIO_SAMPLE_RATE, type TranscriptionInput, type TranscriptionOutput } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { likeliest, MergedDecoder, repetitionStart } from './merged-decoder.ts'

const SHAPE = { layers: 4, heads: 6, headWidth: 64 }

const MAX_TOKENS = 448 - 4
const MAX_TOKENS_PER_SECOND = 25
const MIN_TOKENS = 16

type Marks = {
  decoder_start_token_id: number
  eos_token_id: number
  no_timestamps_token_id: number
  lang_to_id: Record<string, number>
  task_to_id: { transcribe: number }
  suppress_tokens: number[]
  begin_suppress_tokens: number[]
}

export type Whisper = { encoder: InferenceSession; decoder: InferenceSession; tokenizer: Tokenizer; marks: Marks }

export async function loadWhisper(paths: Record<string, string>): Promise<Whisper> {
  const read = async (name: string) => JSON.parse(await readFile(paths[name] ?? '', 'utf8'))
  const [encoder, decoder, words, settings, marks] = await Promise.all([
    openSession(paths['encoder.onnx']),
    openSession(paths['decoder.onnx']),
    read('tokenizer.json'),
    read('tokenizer_config.json'),
    read('generation.json'),
  ])
  return { encoder, decoder, tokenizer: new Tokenizer(words, settings), marks }
}

export async function transcribe(
  { encoder, decoder, tokenizer, marks }: Whisper,
  { samples, language }: TranscriptionInput,
  signal: AbortSignal,
): Promise<TranscriptionOutput> {
  const features = new Tensor('float32', spectrogramOf(samples), [1, PITCHES, FRAMES])
  const { last_hidden_state: states } = await encoder.run({ input_features: features }, ['last_hidden_state'])
  if (!states) throw new Error('the encoder gave no states')
  signal.throwIfAborted()
  const writer = new MergedDecoder(decoder, SHAPE, states)
  const first = await writer.next(marks.decoder_start_token_id)
  const spoken = marks.lang_to_id[`<|${language}|>`] ?? likeliestLanguage(first, marks)
  await writer.next(spoken)
  await writer.next(marks.task_to_id.transcribe)
  const tokens = await write(writer, marks, samples.length / AUDIO_SAMPLE_RATE, signal)
  return { text: tokenizer.decode(tokens, { skip_special_tokens: true }), language: codeOf(spoken, marks) }
}

async function write(writer: MergedDecoder, marks: Marks, seconds: number, signal: AbortSignal): Promise<number[]> {
  const never = new Set(marks.suppress_tokens)
  const neverFirst = new Set(marks.begin_suppress_tokens)
  const isText = (token: number) => token <= marks.eos_token_id && !never.has(token)
  const maxTokens = Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, Math.ceil(seconds * MAX_TOKENS_PER_SECOND)))
  const tokens: number[] = []
  let token = marks.no_timestamps_token_id
  while (tokens.length < maxTokens) {
    signal.throwIfAborted()
    const isFirst = tokens.length === 0
    token = likeliest(await writer.next(token), (id) => isText(id) && !(isFirst && neverFirst.has(id)))
    if (token === marks.eos_token_id) break
    tokens.push(token)
    const end = repetitionStart(tokens)
    if (end !== undefined) return tokens.slice(0, end)
  }
  return tokens
}

function likeliestLanguage(scores: Float32Array, { lang_to_id: languages }: Marks): number {
  const known = new Set(Object.values(languages))
  return likeliest(scores, (token) => known.has(token))
}

function codeOf(token: number, { lang_to_id: languages }: Marks): string | undefined {
  const [name] = Object.entries(languages).find(([, id]) => id === token) ?? []
  return name?.slice(2, -2)
}

export const PITCHES = 80
// Half a minute, always: shorter sound is followed by silence.
export const FRAMES = 3_000
const HOP_SAMPLES = 160
const WINDOW_SAMPLES = 400
const HALF_WINDOW = WINDOW_SAMPLES / 2
const FREQUENCIES = HALF_WINDOW + 1

const MIN_POWER = 1e-10
const RANGE = 8

const LINEAR_HZ = 200 / 3
const BREAK_HZ = 1_000
const BREAK_MEL = BREAK_HZ / LINEAR_HZ
const LOG_STEP = Math.log(6.4) / 27

const WINDOW = Float32Array.from(
  { length: WINDOW_SAMPLES },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / WINDOW_SAMPLES),
)
const TURN = Float32Array.from({ length: WINDOW_SAMPLES }, (_, index) =>
  Math.cos((2 * Math.PI * index) / WINDOW_SAMPLES),
)
const FILTERS = filters()

/** Computes `PITCHES` rows of `FRAMES` values, at most 4 below the loudest. Sound beyond is left out. */
export function spectrogramOf(audio: Float32Array): Float32Array {
  const values = new Float32Array(PITCHES * FRAMES).fill(Math.log10(MIN_POWER))
  // Behind the sound is silence, which is there already.
  const frames = Math.min(FRAMES, Math.ceil((audio.length + HALF_WINDOW) / HOP_SAMPLES))
  const power = new Float32Array(FREQUENCIES)
  for (let frame = 0; frame < frames; frame++) {
    powerAt(audio, frame * HOP_SAMPLES - HALF_WINDOW, power)
    for (const [pitch, { first, weights }] of FILTERS.entries()) {
      let sum = 0
      for (const [index, weight] of weights.entries()) sum += weight * power[first + index]!
      values[pitch * FRAMES + frame] = Math.log10(Math.max(sum, MIN_POWER))
    }
  }
  const floor = values.reduce((loudest, value) => Math.max(loudest, value), Number.NEGATIVE_INFINITY) - RANGE
  return values.map((value) => (Math.max(value, floor) + 4) / 4)
}

// Computes the power of each frequency in one window. A sample and its mirror image share a cosine and differ in the
// sign of a sine, so both sums are over half of the window.
function powerAt(audio: Float32Array, start: number, power: Float32Array): void {
  const even = new Float32Array(HALF_WINDOW + 1)
  const odd = new Float32Array(HALF_WINDOW + 1)
  for (let index = 0; index <= HALF_WINDOW; index++) {
    const left = sampleAt(audio, start + index) * WINDOW[index]!
    const isAlone = index === 0 || index === HALF_WINDOW
    const right = isAlone ? 0 : sampleAt(audio, start + WINDOW_SAMPLES - index) * WINDOW[WINDOW_SAMPLES - index]!
    even[index] = left + right
    odd[index] = isAlone ? 0 : left - right
  }
  for (let frequency = 0; frequency < FREQUENCIES; frequency++) {
    let real = 0
    let imaginary = 0
    for (let index = 0, turn = 0; index <= HALF_WINDOW; index++) {
      real += even[index]! * TURN[turn]!
      // A sine is the cosine a quarter of a turn before.
      imaginary += odd[index]! * TURN[(turn + (WINDOW_SAMPLES * 3) / 4) % WINDOW_SAMPLES]!
      turn = (turn + frequency) % WINDOW_SAMPLES
    }
    power[frequency] = real * real + imaginary * imaginary
  }
}

function sampleAt(audio: Float32Array, place: number): number {
  const sample = audio[Math.abs(place)] ?? 0
  return Number.isNaN(sample) ? 0 : Math.min(1, Math.max(-1, sample))
}

function filters(): { first: number; weights: number[] }[] {
  const highest = melOf(AUDIO_SAMPLE_RATE / 2)
  const corners = Array.from({ length: PITCHES + 2 }, (_, index) => hzOf((highest * index) / (PITCHES + 1)))
  return Array.from({ length: PITCHES }, (_, pitch) => {
    const [low, middle, high] = corners.slice(pitch, pitch + 3) as [number, number, number]
    const all = Array.from({ length: FREQUENCIES }, (_, frequency) => {
      const hz = (frequency * AUDIO_SAMPLE_RATE) / WINDOW_SAMPLES
      return (Math.max(0, Math.min((hz - low) / (middle - low), (high - hz) / (high - middle))) * 2) / (high - low)
    })
    const first = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    )
    return { first, weights: all.slice(first, all.findLastIndex((weight) => weight > 0) + 1) }
  })
}

function melOf(hz: number): number {
  return hz < BREAK_HZ ? hz / LINEAR_HZ : BREAK_MEL + Math.log(hz / BREAK_HZ) / LOG_STEP
}

function hzOf(mel: number): number {
  return mel < BREAK_MEL ? mel * LINEAR_HZ : BREAK_HZ * Math.exp((mel - BREAK_MEL) * LOG_STEP)
}
