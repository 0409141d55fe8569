import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { WhisperFeatureExtractor } from '@huggingface/transformers'
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
  extractor: WhisperFeatureExtractor
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
  return { config, encoder, decoder, tokenizer, marks, extractor: spectrograph(config.num_mel_bins) }
}

export async function transcribe(
  { config, encoder, decoder, tokenizer, marks, extractor }: Whisper,
  { samples, language }: TranscriptionInput,
  signal: AbortSignal,
): Promise<TranscriptionOutput> {
  const spectrogram = await spectrogramOf(samples, extractor)
  const features = new Tensor('float32', spectrogram, [1, config.num_mel_bins, FRAMES])
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

/** Half a minute, always: shorter sound is followed by silence. */
export const FRAMES = 3_000
const WINDOW_SECONDS = 30

/** Makes what computes spectrograms in so many pitches. */
export const spectrograph = (pitches: number): WhisperFeatureExtractor =>
  new WhisperFeatureExtractor({
    feature_size: pitches,
    sampling_rate: AUDIO_SAMPLE_RATE,
    n_fft: 400,
    hop_length: 160,
    n_samples: WINDOW_SECONDS * AUDIO_SAMPLE_RATE,
    nb_max_frames: FRAMES,
  })

/** Computes a row of `FRAMES` values for each pitch, at most 2 below the loudest. Sound beyond is left out. */
export async function spectrogramOf(audio: Float32Array, extractor: WhisperFeatureExtractor): Promise<Float32Array> {
  // NaN would spread through the model.
  const samples = audio
    .subarray(0, WINDOW_SECONDS * AUDIO_SAMPLE_RATE)
    .map((sample) => (Number.isNaN(sample) ? 0 : Math.min(1, Math.max(-1, sample))))
  const { input_features: features } = await extractor._call(samples)
  return features.data as Float32Array
}
