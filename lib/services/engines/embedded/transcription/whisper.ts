/** Whisper tiny: hears half a minute at a time and writes it down, in some hundred languages. For the child process. */
import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { repetitionStart } from '../chat/repetition.ts'
import { openSession } from '../weights/onnx-session.ts'
import { likeliest, MergedDecoder } from './merged-decoder.ts'
import { SOUND_RATE, type TranscriptionInput, type TranscriptionOutput } from './protocol.ts'
import { FRAMES, PITCHES, spectrogramOf } from './whisper-spectrogram.ts'

const SHAPE = { layers: 4, heads: 6, headWidth: 64 }

/** The decoder has places for this many tokens, of which the opening takes four. */
const MAX_TOKENS = 448 - 4
/** Some scripts take a token for each byte of a letter. Nobody speaks faster than this all the same. */
const MAX_TOKENS_PER_SECOND = 25
const LEAST_TOKENS = 16

/** Of the file `generation.json`: tokens that mean something else than text. */
type Marks = {
  decoder_start_token_id: number
  eos_token_id: number
  no_timestamps_token_id: number
  lang_to_id: Record<string, number>
  task_to_id: { transcribe: number }
  /** Never written: notes on the music, speakers' names, brackets. */
  suppress_tokens: number[]
  /** Not written at the beginning: an end, or nothing but a space. */
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

/** What is said in the sound, and in which language, if that was not said before. An abort is heard between tokens. */
export async function hear(
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
  const tokens = await write(writer, marks, samples.length / SOUND_RATE, signal)
  return { text: tokenizer.decode(tokens, { skip_special_tokens: true }), language: codeOf(spoken, marks) }
}

async function write(writer: MergedDecoder, marks: Marks, seconds: number, signal: AbortSignal): Promise<number[]> {
  const never = new Set(marks.suppress_tokens)
  const neverFirst = new Set(marks.begin_suppress_tokens)
  const isText = (token: number) => token <= marks.eos_token_id && !never.has(token)
  const maxTokens = Math.min(MAX_TOKENS, Math.max(LEAST_TOKENS, Math.ceil(seconds * MAX_TOKENS_PER_SECOND)))
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

/** ISO 639-1, or 639-3 where that has none. */
function codeOf(token: number, { lang_to_id: languages }: Marks): string | undefined {
  const [name] = Object.entries(languages).find(([, id]) => id === token) ?? []
  return name?.slice(2, -2)
}
