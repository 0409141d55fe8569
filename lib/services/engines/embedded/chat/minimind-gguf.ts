import { readFile } from 'node:fs/promises'
import path from 'node:path'
import {
  encodeGguf,
  type GgufEntry,
  type GgufTensor,
  ggufBool,
  ggufFloat32,
  ggufInt32s,
  ggufText,
  ggufTexts,
  ggufUint32,
  quantizeQ8,
} from './gguf-writer.ts'

type ModelConfig = {
  hidden_size: number
  num_hidden_layers: number
  intermediate_size: number
  num_attention_heads: number
  num_key_value_heads: number
  rms_norm_eps: number
  rope_theta: number
  head_dim: number
  vocab_size: number
}

type Tokenizer = {
  model: { vocab: Record<string, number>; merges: (string | [string, string])[] }
  added_tokens: { id: number; content: string; special: boolean }[]
}

type Matrix = { values: Float32Array; rows: number; columns: number }

// The length it was trained with; its config.json claims more.
const CONTEXT_TOKENS = 2048

const TOKEN_KIND = { normal: 1, control: 3, userDefined: 4 } as const

const MATRICES_PER_LAYER = 7

/**
 * Converts MiniMind2-Small from the int8 ONNX export in `folder` to a Q8_0 GGUF file of llama's architecture. The same
 * weights lose their sense in ONNX runtimes, which quantise activations; llama.cpp does not. Takes about two seconds of
 * one core, and about 200 MB, once on each machine: the registry has these weights in no other format, and this project
 * publishes none of its own (ADR 0032).
 *
 * @throws Error when the files are not those of the pinned package.
 */
export async function convertMiniMind(folder: string): Promise<Buffer[]> {
  const [onnx, config, tokenizer, tokenizerConfig] = await Promise.all([
    readFile(path.join(folder, 'onnx/model_quantized.onnx')),
    readJson<ModelConfig>(path.join(folder, 'config.json')),
    readJson<Tokenizer>(path.join(folder, 'tokenizer.json')),
    readJson<{ chat_template: string }>(path.join(folder, 'tokenizer_config.json')),
  ])
  return encodeGguf(
    [...architecture(config), ...vocabulary(tokenizer, tokenizerConfig.chat_template)],
    tensorsOf(readInitializers(onnx), config),
  )
}

function architecture(config: ModelConfig): GgufEntry[] {
  return [
    ggufText('general.architecture', 'llama'),
    ggufText('general.name', 'MiniMind2-Small'),
    ggufText('general.license', 'apache-2.0'),
    ggufUint32('general.file_type', 7),
    ggufUint32('general.quantization_version', 2),
    ggufUint32('llama.context_length', CONTEXT_TOKENS),
    ggufUint32('llama.embedding_length', config.hidden_size),
    ggufUint32('llama.block_count', config.num_hidden_layers),
    ggufUint32('llama.feed_forward_length', config.intermediate_size),
    ggufUint32('llama.attention.head_count', config.num_attention_heads),
    ggufUint32('llama.attention.head_count_kv', config.num_key_value_heads),
    ggufFloat32('llama.attention.layer_norm_rms_epsilon', config.rms_norm_eps),
    ggufFloat32('llama.rope.freq_base', config.rope_theta),
    ggufUint32('llama.rope.dimension_count', config.head_dim),
    ggufUint32('llama.vocab_size', config.vocab_size),
  ]
}

function vocabulary({ model, added_tokens }: Tokenizer, chatTemplate: string): GgufEntry[] {
  const tokens: string[] = []
  const kinds: number[] = []
  for (const [token, id] of Object.entries(model.vocab)) {
    tokens[id] = token
    kinds[id] = TOKEN_KIND.normal
  }
  for (const { id, content, special } of added_tokens) {
    tokens[id] = content
    kinds[id] = special ? TOKEN_KIND.control : TOKEN_KIND.userDefined
  }
  return [
    ggufText('tokenizer.ggml.model', 'gpt2'),
    ggufText('tokenizer.ggml.pre', 'default'),
    ggufTexts('tokenizer.ggml.tokens', tokens),
    ggufInt32s('tokenizer.ggml.token_type', kinds),
    ggufTexts(
      'tokenizer.ggml.merges',
      model.merges.map((merge) => (Array.isArray(merge) ? merge.join(' ') : merge)),
    ),
    ggufUint32('tokenizer.ggml.bos_token_id', 1),
    ggufUint32('tokenizer.ggml.eos_token_id', 2),
    ggufUint32('tokenizer.ggml.padding_token_id', 0),
    ggufBool('tokenizer.ggml.add_bos_token', false),
    ggufText('tokenizer.chat_template', chatTemplate),
  ]
}

function tensorsOf(initializers: Map<string, OnnxTensor>, config: ModelConfig): GgufTensor[] {
  const named = (name: string): OnnxTensor => {
    const tensor = initializers.get(name)
    if (!tensor) throw new Error(`the ONNX file has no tensor ${name}`)
    return tensor
  }
  const matrix = (base: string): Matrix => dequantize(named, base)
  const norm = (name: string, source: string): GgufTensor => {
    const values = floatsOf(named(source))
    const data = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
    return { name, dims: [values.length], type: 'f32', data }
  }
  const weights = (name: string, { values, rows, columns }: Matrix): GgufTensor => {
    return { name, dims: [columns, rows], type: 'q8_0', data: quantizeQ8(values) }
  }

  const bases = layerMatrices(initializers, config.num_hidden_layers)
  const tensors = [
    weights('token_embd.weight', matrix('model.embed_tokens.weight')),
    norm('output_norm.weight', 'model.norm.weight'),
  ]
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const [query, key, value, output, gate, up, down] = bases
      .slice(layer * MATRICES_PER_LAYER, (layer + 1) * MATRICES_PER_LAYER)
      .map((base) => transpose(matrix(base)))
    const block = `blk.${layer}.`
    tensors.push(
      weights(`${block}attn_q.weight`, rotaryOrder(query!, config.num_attention_heads)),
      weights(`${block}attn_k.weight`, rotaryOrder(key!, config.num_key_value_heads)),
      weights(`${block}attn_v.weight`, value!),
      weights(`${block}attn_output.weight`, output!),
      weights(`${block}ffn_gate.weight`, gate!),
      weights(`${block}ffn_up.weight`, up!),
      weights(`${block}ffn_down.weight`, down!),
      norm(`${block}attn_norm.weight`, `model.layers.${layer}.input_layernorm.weight`),
      norm(`${block}ffn_norm.weight`, `model.layers.${layer}.post_attention_layernorm.weight`),
    )
  }
  return tensors
}

function layerMatrices(initializers: Map<string, OnnxTensor>, layers: number): string[] {
  const numbers = [...initializers.keys()]
    .map((name) => /^onnx::MatMul_(\d+)_quantized$/.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .sort((a, b) => Number(a) - Number(b))
  if (numbers.length !== MATRICES_PER_LAYER * layers + 1)
    throw new Error(`${numbers.length} matrices in the ONNX graph`)
  return numbers.map((number) => `onnx::MatMul_${number}`)
}

function dequantize(named: (name: string) => OnnxTensor, base: string): Matrix {
  const quantized = named(`${base}_quantized`)
  const scale = scalarOf(named(`${base}_scale`))
  const zero = scalarOf(named(`${base}_zero_point`))
  const levels = tensorBytes(quantized)
  const values = new Float32Array(levels.length)
  for (let i = 0; i < levels.length; i++) values[i] = (levels[i]! - zero) * scale
  const [rows = 0, columns = 0] = quantized.dims
  return { values, rows, columns }
}

const scalarOf = (tensor: OnnxTensor): number =>
  (tensor.type === ONNX_TYPE.float ? floatsOf(tensor) : tensorBytes(tensor))[0] ?? 0

function transpose({ values, rows, columns }: Matrix): Matrix {
  const turned = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column]!
  }
  return { values: turned, rows: columns, columns: rows }
}

// Moves rows of a query or key matrix from halves to neighbouring pairs: llama.cpp rotates neighbours, the exporter's
// framework the two halves of a head. Without this the output is noise.
function rotaryOrder({ values, rows, columns }: Matrix, heads: number): Matrix {
  const headRows = rows / heads
  const half = headRows / 2
  const ordered = new Float32Array(values.length)
  for (let head = 0; head < heads; head++) {
    for (let pair = 0; pair < half; pair++) {
      for (const side of [0, 1]) {
        const source = head * headRows + side * half + pair
        const target = head * headRows + pair * 2 + side
        ordered.set(values.subarray(source * columns, (source + 1) * columns), target * columns)
      }
    }
  }
  return { values: ordered, rows, columns }
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T
}

// Field numbers of onnx.proto3: ModelProto.graph, GraphProto.initializer, and those of TensorProto.
const MODEL_GRAPH = 7
const GRAPH_INITIALIZER = 5
const TENSOR = { dims: 1, dataType: 2, floatData: 4, int32Data: 5, name: 8, rawData: 9 } as const

const ONNX_TYPE = { float: 1, uint8: 2, int8: 3 } as const

type OnnxTensor = {
  name: string
  type: number
  dims: number[]
  raw?: Buffer
  numbers: number[]
}

function readInitializers(file: Buffer): Map<string, OnnxTensor> {
  const tensors = new Map<string, OnnxTensor>()
  for (const graph of fieldsOf(file)) {
    if (graph.number !== MODEL_GRAPH || !graph.bytes) continue
    for (const initializer of fieldsOf(graph.bytes)) {
      if (initializer.number !== GRAPH_INITIALIZER || !initializer.bytes) continue
      const tensor = readTensor(initializer.bytes)
      tensors.set(tensor.name, tensor)
    }
  }
  return tensors
}

function floatsOf({ name, type, raw, numbers }: OnnxTensor): Float32Array {
  if (type !== ONNX_TYPE.float) throw new RangeError(`${name}: type ${type} where floats are expected`)
  if (!raw) return Float32Array.from(numbers)
  return new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length))
}

function tensorBytes({ name, type, raw, numbers }: OnnxTensor): Int8Array | Uint8Array {
  if (type === ONNX_TYPE.int8) {
    return raw ? new Int8Array(raw.buffer, raw.byteOffset, raw.length) : Int8Array.from(numbers)
  }
  if (type === ONNX_TYPE.uint8) return raw ?? Uint8Array.from(numbers)
  throw new RangeError(`${name}: type ${type} where bytes are expected`)
}

function readTensor(message: Buffer): OnnxTensor {
  const tensor: OnnxTensor = { name: '', type: 0, dims: [], numbers: [] }
  for (const { number, bytes, integer } of fieldsOf(message)) {
    if (number === TENSOR.dims) tensor.dims.push(...(bytes ? varintsOf(bytes) : [Number(integer)]))
    else if (number === TENSOR.dataType) tensor.type = Number(integer)
    else if (number === TENSOR.name && bytes) tensor.name = bytes.toString('utf8')
    else if (number === TENSOR.rawData && bytes) tensor.raw = bytes
    else if (number === TENSOR.floatData && bytes) {
      for (let at = 0; at < bytes.length; at += 4) tensor.numbers.push(bytes.readFloatLE(at))
    } else if (number === TENSOR.int32Data) {
      tensor.numbers.push(...(bytes ? varintsOf(bytes) : [Number(BigInt.asIntN(32, integer ?? 0n))]))
    }
  }
  return tensor
}

type Field = { number: number; integer?: bigint; bytes?: Buffer }

function* fieldsOf(message: Buffer): Generator<Field> {
  const cursor = { at: 0 }
  while (cursor.at < message.length) {
    const tag = Number(readVarint(message, cursor))
    const number = tag >> 3
    const wireType = tag & 7
    if (wireType === 0) yield { number, integer: readVarint(message, cursor) }
    else yield { number, bytes: readBytes(message, cursor, lengthOf(wireType, message, cursor)) }
  }
}

function lengthOf(wireType: number, message: Buffer, cursor: { at: number }): number {
  if (wireType === 1) return 8
  if (wireType === 5) return 4
  if (wireType === 2) return Number(readVarint(message, cursor))
  throw new RangeError(`unknown wire type ${wireType}`)
}

function readBytes(message: Buffer, cursor: { at: number }, length: number): Buffer {
  const end = cursor.at + length
  if (end > message.length) throw new RangeError('the file ends within a field')
  const bytes = message.subarray(cursor.at, end)
  cursor.at = end
  return bytes
}

function varintsOf(bytes: Buffer): number[] {
  const cursor = { at: 0 }
  const values: number[] = []
  while (cursor.at < bytes.length) values.push(Number(BigInt.asIntN(64, readVarint(bytes, cursor))))
  return values
}

function readVarint(bytes: Buffer, cursor: { at: number }): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) throw new RangeError('the file ends within a number')
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
}
