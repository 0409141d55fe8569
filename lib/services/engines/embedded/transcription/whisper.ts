import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { z } from 'zod'
import { AUDIO_SAMPLE_RATE, type TranscriptionInput, type TranscriptionOutput } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { likeliest, MergedDecoder, repetitionStart } from './merged-decoder.ts'

const MAX_TOKENS_PER_SECOND = 25
const MIN_TOKENS = 16
/** Start, language, task and the mark for no times. */
const MARKS_BEFORE_TEXT = 4

const tokenId = z.int().min(0).max(1_000_000)

/** What the model's `config.json` says of its shape: that of all Whisper models, in sizes up to the largest. */
const Config = z.object({
  model_type: z.literal('whisper'),
  _name_or_path: z.string().optional(),
  decoder_layers: z.int().min(1).max(64),
  decoder_attention_heads: z.int().min(1).max(64),
  d_model: z.int().min(1).max(4_096),
  num_mel_bins: z.int().min(1).max(256),
  max_source_positions: z.literal(1_500),
  max_target_positions: z
    .int()
    .min(MARKS_BEFORE_TEXT + MIN_TOKENS)
    .max(4_096),
})

/** Tokens that guide an answer. Models for English alone know no languages and no tasks. */
const Marks = z.object({
  decoder_start_token_id: tokenId,
  eos_token_id: tokenId,
  no_timestamps_token_id: tokenId,
  lang_to_id: z.record(z.string(), tokenId).default({}),
  task_to_id: z.object({ transcribe: tokenId }).optional(),
  suppress_tokens: z.array(z.int()).nullish(),
  begin_suppress_tokens: z.array(z.int()).nullish(),
})
type Marks = z.output<typeof Marks>

export type Whisper = {
  config: z.output<typeof Config>
  encoder: InferenceSession
  decoder: InferenceSession
  tokenizer: Tokenizer
  marks: Marks
  filters: Filter[]
}

/** @throws Error when a file is not what it should be; ZodError when that is `config.json` or `generation.json`. */
export async function loadWhisper(paths: Record<string, string>): Promise<Whisper> {
  const read = async (name: string) => JSON.parse(await readFile(paths[name] ?? '', 'utf8'))
  const [config, marks] = await Promise.all([
    read('config.json').then(Config.parse),
    read('generation.json').then(Marks.parse),
  ])
  const [encoder, decoder, words, settings] = await Promise.all([
    openSession(paths['encoder.onnx']),
    openSession(paths['decoder.onnx']),
    read('tokenizer.json'),
    read('tokenizer_config.json'),
  ])
  const tokenizer = new Tokenizer(words, settings)
  return { config, encoder, decoder, tokenizer, marks, filters: filtersOf(config.num_mel_bins) }
}

export async function transcribe(
  { config, encoder, decoder, tokenizer, marks, filters }: Whisper,
  { samples, language }: TranscriptionInput,
  signal: AbortSignal,
): Promise<TranscriptionOutput> {
  const features = new Tensor('float32', spectrogramOf(samples, filters), [1, filters.length, FRAMES])
  const { last_hidden_state: states } = await encoder.run({ input_features: features }, ['last_hidden_state'])
  if (!states) throw new Error('the encoder gave no states')
  signal.throwIfAborted()
  const { decoder_layers: layers, decoder_attention_heads: heads, d_model: width } = config
  const writer = new MergedDecoder(decoder, { layers, heads, headWidth: width / heads }, states)
  const first = await writer.next(marks.decoder_start_token_id)
  const spoken = marks.lang_to_id[`<|${language}|>`] ?? likeliestLanguage(first, marks)
  if (spoken !== undefined) await writer.next(spoken)
  if (marks.task_to_id) await writer.next(marks.task_to_id.transcribe)
  const maxTokens = Math.min(
    config.max_target_positions - MARKS_BEFORE_TEXT,
    Math.max(MIN_TOKENS, Math.ceil((samples.length / AUDIO_SAMPLE_RATE) * MAX_TOKENS_PER_SECOND)),
  )
  const tokens = await write(writer, marks, maxTokens, signal)
  return { text: tokenizer.decode(tokens, { skip_special_tokens: true }), language: codeOf(spoken, marks) }
}

async function write(writer: MergedDecoder, marks: Marks, maxTokens: number, signal: AbortSignal): Promise<number[]> {
  const never = new Set(marks.suppress_tokens)
  const neverFirst = new Set(marks.begin_suppress_tokens)
  const isText = (token: number) => token <= marks.eos_token_id && !never.has(token)
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

function likeliestLanguage(scores: Float32Array, { lang_to_id: languages }: Marks): number | undefined {
  const known = new Set(Object.values(languages))
  return known.size === 0 ? undefined : likeliest(scores, (token) => known.has(token))
}

function codeOf(token: number | undefined, { lang_to_id: languages }: Marks): string | undefined {
  const [name] = Object.entries(languages).find(([, id]) => id === token) ?? []
  return name?.slice(2, -2)
}

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

/** Computes a row of `FRAMES` values for each filter, at most 4 below the loudest. Sound beyond is left out. */
export function spectrogramOf(audio: Float32Array, filters: readonly Filter[]): Float32Array {
  const values = new Float32Array(filters.length * FRAMES).fill(Math.log10(MIN_POWER))
  // Behind the sound is silence, which is there already.
  const frames = Math.min(FRAMES, Math.ceil((audio.length + HALF_WINDOW) / HOP_SAMPLES))
  const power = new Float32Array(FREQUENCIES)
  for (let frame = 0; frame < frames; frame++) {
    powerAt(audio, frame * HOP_SAMPLES - HALF_WINDOW, power)
    for (const [pitch, { first, weights }] of filters.entries()) {
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

type Filter = { first: number; weights: number[] }

/** Makes the filters of so many pitches, evenly spaced on the mel scale. */
export function filtersOf(pitches: number): Filter[] {
  const highest = melOf(AUDIO_SAMPLE_RATE / 2)
  const corners = Array.from({ length: pitches + 2 }, (_, index) => hzOf((highest * index) / (pitches + 1)))
  return Array.from({ length: pitches }, (_, pitch) => {
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
