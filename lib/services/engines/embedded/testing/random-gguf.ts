import { writeFile } from 'node:fs/promises'
import {
  encodeGguf,
  type GgufTensor,
  ggufBool,
  ggufFloat32,
  ggufInt32,
  ggufInt32s,
  ggufText,
  ggufTexts,
  ggufUint16,
  ggufUint32,
} from '../chat/gguf-writer.ts'

export const WIDTH = 64
const LAYERS = 2
const HEADS = 4
const KEY_HEADS = 2
const INNER_WIDTH = 128
const CONTEXT_TOKENS = 512

const CHAT_TEMPLATE =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

const SPECIAL_TOKENS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const TOKEN_KIND = { normal: 1, control: 3 }

/**
 * Writes a chat model with random weights: real loading, real sampling, text without sense. Its vocabulary is the 256
 * bytes and the control tokens, so nearly each token is one character.
 */
export async function writeRandomGguf(file: string): Promise<void> {
  await writeFile(file, randomGguf())
}

export type RandomGguf = {
  seed?: number
  name?: string
  template?: string
  architecture?: string
  addsBos?: boolean
  /** Makes it a model for embeddings: how the vectors of tokens become one. */
  pooling?: number
}

export function randomGguf(options: RandomGguf = {}): Buffer {
  return randomGgufParts(1, options)[0]!
}

/** Makes the files of a split model, as llama.cpp's `gguf-split` does: the first has all metadata. */
export function randomGgufParts(count: number, options: RandomGguf = {}): Buffer[] {
  const {
    seed = 42,
    name = 'random-test',
    template = CHAT_TEMPLATE,
    architecture = 'llama',
    addsBos = false,
    pooling,
  } = options
  const vocabulary = [...SPECIAL_TOKENS, ...byteAlphabet()]
  const metadata = [
    ggufText('general.architecture', architecture),
    ggufText('general.name', name),
    ggufUint32('general.file_type', 0),
    ggufUint32('llama.context_length', CONTEXT_TOKENS),
    ggufUint32('llama.embedding_length', WIDTH),
    ggufUint32('llama.block_count', LAYERS),
    ggufUint32('llama.feed_forward_length', INNER_WIDTH),
    ggufUint32('llama.attention.head_count', HEADS),
    ggufUint32('llama.attention.head_count_kv', KEY_HEADS),
    ggufFloat32('llama.attention.layer_norm_rms_epsilon', 1e-5),
    ggufFloat32('llama.rope.freq_base', 1e4),
    ggufUint32('llama.rope.dimension_count', WIDTH / HEADS),
    ggufUint32('llama.vocab_size', vocabulary.length),
    ...(pooling === undefined ? [] : [ggufUint32('llama.pooling_type', pooling)]),
    ggufText('tokenizer.ggml.model', 'gpt2'),
    ggufText('tokenizer.ggml.pre', 'default'),
    ggufTexts('tokenizer.ggml.tokens', vocabulary),
    ggufInt32s(
      'tokenizer.ggml.token_type',
      vocabulary.map((_, id) => (id < SPECIAL_TOKENS.length ? TOKEN_KIND.control : TOKEN_KIND.normal)),
    ),
    // The format wants at least one merge.
    ggufTexts('tokenizer.ggml.merges', [`${vocabulary[3]} ${vocabulary[4]}`]),
    ggufUint32('tokenizer.ggml.bos_token_id', 1),
    ggufUint32('tokenizer.ggml.eos_token_id', 2),
    ggufBool('tokenizer.ggml.add_bos_token', addsBos),
    ...(template === '' ? [] : [ggufText('tokenizer.chat_template', template)]),
  ]
  const tensors = randomTensors(vocabulary.length, gaussian(seed))
  if (count === 1) return [Buffer.concat(encodeGguf(metadata, tensors))]
  const perPart = Math.ceil(tensors.length / count)
  return Array.from({ length: count }, (_, part) => {
    const split = [
      ggufUint16('split.no', part),
      ggufUint16('split.count', count),
      ggufInt32('split.tensors.count', tensors.length),
    ]
    const own = tensors.slice(part * perPart, (part + 1) * perPart)
    return Buffer.concat(encodeGguf([...(part === 0 ? metadata : []), ...split], own))
  })
}

function randomTensors(vocabularySize: number, next: () => number): GgufTensor[] {
  const tensor = (name: string, dims: number[], value: () => number): GgufTensor => {
    const values = Float32Array.from({ length: dims.reduce((product, dim) => product * dim, 1) }, value)
    return { name, dims, type: 'f32', data: Buffer.from(values.buffer) }
  }
  const noise = (name: string, ...dims: number[]) => tensor(name, dims, () => next() * 0.08)
  const ones = (name: string) => tensor(name, [WIDTH], () => 1)
  const keyWidth = (WIDTH / HEADS) * KEY_HEADS
  const layers = Array.from({ length: LAYERS }, (_, layer) => `blk.${layer}.`).flatMap((block) => [
    ones(`${block}attn_norm.weight`),
    ones(`${block}ffn_norm.weight`),
    noise(`${block}attn_q.weight`, WIDTH, WIDTH),
    noise(`${block}attn_k.weight`, WIDTH, keyWidth),
    noise(`${block}attn_v.weight`, WIDTH, keyWidth),
    noise(`${block}attn_output.weight`, WIDTH, WIDTH),
    noise(`${block}ffn_gate.weight`, WIDTH, INNER_WIDTH),
    noise(`${block}ffn_up.weight`, WIDTH, INNER_WIDTH),
    noise(`${block}ffn_down.weight`, INNER_WIDTH, WIDTH),
  ])
  const outer = [noise('token_embd.weight', WIDTH, vocabularySize), ones('output_norm.weight')]
  return [...outer, noise('output.weight', WIDTH, vocabularySize), ...layers]
}

/** Lists the characters that stand for the bytes in vocabularies of bytes. */
export function byteAlphabet(): string[] {
  const isPrintable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte < 256 && byte !== 173)
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const others = bytes.filter((byte) => !isPrintable(byte)).map((_, index) => 256 + index)
  return [...bytes.filter(isPrintable), ...others].map((codePoint) => String.fromCodePoint(codePoint))
}

export function gaussian(seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform() + 1e-9)) * Math.cos(2 * Math.PI * uniform())
}
