import { type InferenceSession, Tensor } from 'onnxruntime-node'

export type DecoderShape = { layers: number; heads: number; headWidth: number }

type Tensors = Record<string, Tensor>

export class MergedDecoder {
  readonly #session: InferenceSession
  readonly #states: Tensor
  #past: Tensors
  #isFirst = true

  constructor(session: InferenceSession, shape: DecoderShape, states: Tensor) {
    this.#session = session
    this.#states = states
    this.#past = emptyPast(shape)
  }

  async next(token: number): Promise<Float32Array> {
    const inputs = {
      input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
      encoder_hidden_states: this.#states,
      use_cache_branch: new Tensor('bool', [!this.#isFirst], [1]),
      ...this.#past,
    }
    // Some files can give much more than that, which would only be copied.
    const wanted = ['logits', ...Object.keys(this.#past).map(presentOf)]
    const outputs = await this.#session.run(inputs, wanted)
    this.#past = nextPast(this.#past, outputs, this.#isFirst)
    this.#isFirst = false
    if (!(outputs.logits?.data instanceof Float32Array)) throw new Error('the decoder gave no scores')
    return outputs.logits.data
  }
}

export function likeliest(scores: Float32Array, counts: (token: number) => boolean = () => true): number {
  let best = -1
  for (let token = 0; token < scores.length; token++) {
    if ((best === -1 || scores[token]! > scores[best]!) && counts(token)) best = token
  }
  return best
}

const presentOf = (name: string): string => name.replace('past_key_values', 'present')

function emptyPast({ layers, heads, headWidth }: DecoderShape): Tensors {
  const names = Array.from({ length: layers }, (_, layer) =>
    ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map((part) => `past_key_values.${layer}.${part}`),
  ).flat()
  return Object.fromEntries(
    names.map((name) => [name, new Tensor('float32', new Float32Array(0), [0, heads, 1, headWidth])]),
  )
}

function nextPast(past: Tensors, outputs: InferenceSession.ReturnType, isFirst: boolean): Tensors {
  return Object.fromEntries(
    Object.entries(past).map(([name, before]) => {
      const isNew = isFirst || name.includes('.decoder.')
      return [name, (isNew && outputs[presentOf(name)]) || before]
    }),
  )
}

const MAX_PHRASE_TOKENS = 12
const TIMES = 4
const TIMES_ALONE = 8

/**
 * Finds where the useful part of `tokens` ends if they end in a repetition: after its first time. To be asked after
 * each token.
 */
export function repetitionStart(tokens: readonly number[]): number | undefined {
  for (let length = 1; length <= MAX_PHRASE_TOKENS; length++) {
    const span = length * (length === 1 ? TIMES_ALONE : TIMES)
    const start = tokens.length - span
    if (start < 0) continue
    if (isRepeated(tokens, start, length)) return start + length
  }
  return undefined
}

function isRepeated(tokens: readonly number[], start: number, length: number): boolean {
  for (let index = start + length; index < tokens.length; index++) {
    if (tokens[index] !== tokens[index - length]) return false
  }
  return true
}
