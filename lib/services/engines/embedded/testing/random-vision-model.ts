import { type OnnxNode, type OnnxTensor, type OnnxValue, onnxModel } from '../weights/onnx-writer.ts'
import { byteAlphabet, gaussian } from './random-gguf.ts'

const TINY = {
  /** Of the text network. */
  width: 32,
  layers: 2,
  heads: 2,
  innerWidth: 64,
  contextTokens: 2_048,
  /** Of the network that reads images: pixels of a tile's side, and of a patch's. */
  tileSide: 32,
  patchSide: 8,
  visionWidth: 16,
  visionLayers: 1,
  visionHeads: 2,
  /** Patches that become one token. */
  patchesPerToken: 4,
}
type VisionShape = typeof TINY & { vocabulary: number }

const CHAT_TEMPLATE =
  "<|im_start|>{% for m in messages %}{{ m['role'] | capitalize }}:{% for part in m['content'] %}" +
  "{% if part['type'] == 'text' %}{{ part['text'] }}{% elif part['type'] == 'image' %}{{ '<image>' }}{% endif %}" +
  "{% endfor %}<end_of_utterance>\n{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"

const IMAGE_TOKEN = '<image>'
const END_TOKEN = '<end_of_utterance>'
const ROWS = [1, 2, 3, 4]
const SPECIAL_TOKENS = [
  '<|im_start|>',
  END_TOKEN,
  IMAGE_TOKEN,
  '<fake_token_around_image>',
  '<global-img>',
  ...ROWS.flatMap((row) => ROWS.map((column) => `<row_${row}_col_${column}>`)),
]

type Options = { width?: number; ending?: string; modelType?: string }

/**
 * Makes the files of a repository with a vision-language model of random weights, in the layout of transformers.js: real
 * loading, real images, text without sense. Its vocabulary is the 256 bytes and the control tokens.
 */
export function randomVisionModel(options: Options = {}): Record<string, Buffer> {
  const { width = TINY.width, ending = '_quantized', modelType = 'idefics3' } = options
  const vocabulary = [...byteAlphabet(), ...SPECIAL_TOKENS]
  const shape = { ...TINY, width, vocabulary: vocabulary.length }
  const weights = randomWeights()
  const id = (token: string) => vocabulary.indexOf(token)
  return {
    'config.json': json({
      architectures: ['Idefics3ForConditionalGeneration'],
      model_type: modelType,
      image_token_id: id(IMAGE_TOKEN),
      text_config: {
        model_type: 'llama',
        hidden_size: shape.width,
        num_hidden_layers: shape.layers,
        num_attention_heads: shape.heads,
        num_key_value_heads: shape.heads,
        head_dim: shape.width / shape.heads,
        max_position_embeddings: shape.contextTokens,
        vocab_size: shape.vocabulary,
      },
    }),
    'generation_config.json': json({ eos_token_id: id(END_TOKEN) }),
    'preprocessor_config.json': json({
      do_convert_rgb: true,
      do_image_splitting: true,
      do_normalize: true,
      do_rescale: true,
      do_resize: true,
      image_mean: [0.5, 0.5, 0.5],
      image_std: [0.5, 0.5, 0.5],
      image_processor_type: 'Idefics3ImageProcessor',
      processor_class: 'Idefics3Processor',
      max_image_size: { longest_edge: shape.tileSide },
      resample: 1,
      size: { longest_edge: shape.tileSide * 4 },
    }),
    'processor_config.json': json({ image_seq_len: tokensPerTile(shape), processor_class: 'Idefics3Processor' }),
    'chat_template.json': json({ chat_template: CHAT_TEMPLATE }),
    'tokenizer.json': json(tokenizerOf(vocabulary)),
    'tokenizer_config.json': json({ tokenizer_class: 'GPT2Tokenizer', eos_token: END_TOKEN, add_prefix_space: false }),
    [`onnx/vision_encoder${ending}.onnx`]: visionEncoder(shape, weights),
    [`onnx/embed_tokens${ending}.onnx`]: embedTokens(shape, weights),
    [`onnx/decoder_model_merged${ending}.onnx`]: decoder(shape, weights),
  }
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))

const tokensPerTile = ({ tileSide, patchSide, patchesPerToken }: VisionShape): number =>
  (tileSide / patchSide) ** 2 / patchesPerToken

function tokenizerOf(vocabulary: string[]) {
  const isSpecial = (token: string) => SPECIAL_TOKENS.includes(token)
  const entries = vocabulary.map((token, id) => [token, id] as const)
  const marks = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  return {
    version: '1.0',
    added_tokens: entries.filter(([token]) => isSpecial(token)).map(([content, id]) => ({ id, content, ...marks })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(entries.filter(([token]) => !isSpecial(token))),
      merges: [],
    },
  }
}

type Tensor = OnnxTensor<Float32Array | BigInt64Array>
type Weights = (name: string, shape: number[], scale?: number) => Tensor

function randomWeights(): Weights {
  const noise = Float32Array.from({ length: 65_521 }, gaussian(42))
  let at = 0
  return (name, shape, scale = 1 / Math.sqrt(shape[0]!)) => {
    const length = shape.reduce((product, one) => product * one, 1)
    return { name, shape, data: Float32Array.from({ length }, () => noise[at++ % noise.length]! * scale) }
  }
}

/** Collects the nodes and constants of a network. */
class Network {
  readonly nodes: OnnxNode[] = []
  readonly tensors: Tensor[] = []

  add(output: string, operator: string, inputs: (string | Tensor)[], attributes?: OnnxNode['attributes']): string {
    const names = inputs.map((input) => (typeof input === 'string' ? input : this.keep(input)))
    this.nodes.push({ operator, inputs: names, output, attributes })
    return output
  }

  keep(tensor: Tensor): string {
    if (!this.tensors.some(({ name }) => name === tensor.name)) this.tensors.push(tensor)
    return tensor.name
  }

  normalized(name: string, from: string, width: number): string {
    const ones = { name: `${name}.scale`, shape: [width], data: new Float32Array(width).fill(1) }
    return this.add(name, 'LayerNormalization', [from, ones])
  }

  /** Splits values of tokens into those of heads. */
  heads(name: string, from: string, count: number, width: number): string {
    const split = this.add(`${name}.split`, 'Reshape', [from, whole(`${name}.shape`, [0, -1, count, width / count])])
    return this.add(name, 'Transpose', [split], { perm: [0, 2, 1, 3] })
  }
}

const whole = (name: string, values: number[]): Tensor => ({
  name,
  shape: [values.length],
  data: BigInt64Array.from(values, BigInt),
})

const single = (name: string, value: number): Tensor => ({ name, shape: [], data: Float32Array.of(value) })

type Layer = {
  name: string
  width: number
  innerWidth: number
  heads: number
  /** Keys and values of tokens before, and the names for all. */
  past?: (part: 'key' | 'value') => { before: string; all: string }
  /** Tells which tokens each may look at. */
  mask?: string
}

function layer(
  network: Network,
  weights: Weights,
  from: string,
  { name, width, innerWidth, heads, past, mask }: Layer,
) {
  // Stronger than those of real models, so that each token before shows in the answer.
  const matrix = (part: string, ...shape: [number, number]) =>
    weights(`${name}.${part}.weight`, shape, 3 / Math.sqrt(shape[0]))
  const input = network.normalized(`${name}.norm`, from, width)
  const part = (what: string) =>
    network.heads(
      `${name}.${what}`,
      network.add(`${name}.${what}.flat`, 'MatMul', [input, matrix(what, width, width)]),
      heads,
      width,
    )
  const withPast = (what: 'key' | 'value') => {
    const place = past?.(what)
    return place ? network.add(place.all, 'Concat', [place.before, part(what)], { axis: 2 }) : part(what)
  }
  const [query, key, value] = [part('query'), withPast('key'), withPast('value')]
  const turned = network.add(`${name}.turned`, 'Transpose', [key], { perm: [0, 1, 3, 2] })
  const scale = single('scale', Math.sqrt(width / heads))
  const raw = network.add(`${name}.raw`, 'Div', [network.add(`${name}.dots`, 'MatMul', [query, turned]), scale])
  const scores = mask ? network.add(`${name}.scores`, 'Where', [mask, raw, single('never', -1e9)]) : raw
  const shares = network.add(`${name}.shares`, 'Softmax', [scores])
  const mixed = network.add(`${name}.mixed`, 'Transpose', [network.add(`${name}.sum`, 'MatMul', [shares, value])], {
    perm: [0, 2, 1, 3],
  })
  const joined = network.add(`${name}.joined`, 'Reshape', [mixed, whole(`${name}.flat`, [0, -1, width])])
  const seen = network.add(`${name}.seen`, 'Add', [
    from,
    network.add(`${name}.out`, 'MatMul', [joined, matrix('out', width, width)]),
  ])
  const inner = network.add(`${name}.inner`, 'MatMul', [
    network.normalized(`${name}.norm2`, seen, width),
    matrix('up', width, innerWidth),
  ])
  const active = network.add(`${name}.active`, 'Relu', [inner])
  const down = network.add(`${name}.down`, 'MatMul', [active, matrix('down', innerWidth, width)])
  return network.add(`${name}.end`, 'Add', [seen, down])
}

function visionEncoder(shape: VisionShape, weights: Weights): Buffer {
  const { tileSide, patchSide, visionWidth, visionLayers, visionHeads, patchesPerToken, width } = shape
  const patches = (tileSide / patchSide) ** 2
  const network = new Network()
  const tiles = network.add('tiles', 'Reshape', ['pixel_values', whole('tiles.shape', [-1, 3, tileSide, tileSide])])
  const kernel = weights('patch.weight', [visionWidth, 3, patchSide, patchSide], 1 / patchSide)
  const cut = network.add('cut', 'Conv', [tiles, kernel], { strides: [patchSide, patchSide] })
  const flat = network.add('flat', 'Reshape', [cut, whole('flat.shape', [0, visionWidth, patches])])
  let values = network.add('patches', 'Transpose', [flat], { perm: [0, 2, 1] })
  values = network.add('placed', 'Add', [values, weights('vision.places', [patches, visionWidth], 0.1)])
  for (let index = 0; index < visionLayers; index++) {
    const name = `vision.${index}`
    values = layer(network, weights, values, {
      name,
      width: visionWidth,
      innerWidth: visionWidth * 4,
      heads: visionHeads,
    })
  }
  const wide = patchesPerToken * visionWidth
  const grouped = network.add('grouped', 'Reshape', [values, whole('grouped.shape', [0, -1, wide])])
  const features = network.add('features', 'MatMul', [grouped, weights('connector.weight', [wide, width])])
  const isThere = network.add('there', 'Cast', ['pixel_attention_mask'], { to: 1 })
  const share = network.add('share', 'ReduceMean', [isThere], { keepdims: 0 })
  network.add('image_features', 'Mul', [features, share])
  return written(network, {
    inputs: [
      { name: 'pixel_values', shape: ['batch_size', 'num_images', 3, 'height', 'width'] },
      { name: 'pixel_attention_mask', type: 'bool', shape: ['batch_size', 'num_images', 'height', 'width'] },
    ],
    outputs: [{ name: 'image_features' }],
  })
}

function embedTokens({ vocabulary, width }: VisionShape, weights: Weights): Buffer {
  const network = new Network()
  network.add('inputs_embeds', 'Gather', [weights('embed.weight', [vocabulary, width], 1), 'input_ids'])
  return written(network, {
    inputs: [{ name: 'input_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] }],
    outputs: [{ name: 'inputs_embeds' }],
  })
}

function decoder(shape: VisionShape, weights: Weights): Buffer {
  const { width, layers, heads, innerWidth, vocabulary, contextTokens } = shape
  const network = new Network()
  const places = network.add('places', 'Gather', [weights('text.places', [contextTokens, width], 0.3), 'position_ids'])
  let values = network.add('begin', 'Add', ['inputs_embeds', places])
  const ends = network.add('total', 'Gather', [
    network.add('mask.shape', 'Shape', ['attention_mask']),
    { name: 'one', shape: [], data: BigInt64Array.of(1n) },
  ])
  const zero: Tensor = { name: 'zero', shape: [], data: BigInt64Array.of(0n) }
  const keys = network.add('keys', 'Range', [zero, ends, { name: 'one', shape: [], data: BigInt64Array.of(1n) }])
  const own = network.add('own', 'Unsqueeze', ['position_ids', whole('own.axes', [1, 3])])
  const mask = network.add('mask', 'LessOrEqual', [keys, own])
  const parts = ['key', 'value'] as const
  for (let index = 0; index < layers; index++) {
    values = layer(network, weights, values, {
      name: `text.${index}`,
      width,
      innerWidth,
      heads,
      mask,
      past: (part) => ({ before: `past_key_values.${index}.${part}`, all: `present.${index}.${part}` }),
    })
  }
  const last = network.normalized('last', values, width)
  network.add('logits', 'MatMul', [last, weights('head.weight', [width, vocabulary], 3 / Math.sqrt(width))])
  const each = Array.from({ length: layers }, (_, index) => parts.map((part) => `${index}.${part}`)).flat()
  const batch = 'batch_size'
  return written(network, {
    inputs: [
      { name: 'inputs_embeds', shape: [batch, 'sequence_length', width] },
      { name: 'attention_mask', type: 'int64', shape: [batch, 'total_sequence_length'] },
      { name: 'position_ids', type: 'int64', shape: [batch, 'sequence_length'] },
      ...each.map((name) => ({
        name: `past_key_values.${name}`,
        shape: [batch, heads, 'past_sequence_length', width / heads],
      })),
    ],
    outputs: [{ name: 'logits' }, ...each.map((name) => ({ name: `present.${name}` }))],
  })
}

/** The first set that normalizes in one step. */
const OPERATOR_SET = 17

type Ends = { inputs: OnnxValue[]; outputs: OnnxValue[] }

const written = ({ nodes, tensors }: Network, ends: Ends): Buffer =>
  Buffer.from(onnxModel({ nodes, tensors, ...ends, operatorSet: OPERATOR_SET }))
