/**
 * Brings a network of convolutions from the files of TensorFlow.js into the ONNX format, whose engine runs it several
 * times as fast. Node runs it as it stands.
 */
import { type OnnxNode, type OnnxTensor, onnxModel } from '../weights/onnx-writer.ts'

type Layer = {
  class_name: string
  config: {
    name: string
    kernel_size?: [number, number]
    padding?: string
    strides?: [number, number]
    activation?: string
    size?: [number, number]
    interpolation?: string
  }
  inbound_nodes: [string, ...unknown[]][][]
}
type Weights = { name: string; shape: number[]; dtype: string; quantization?: unknown }
export type KerasModel = {
  modelTopology: { model_config: { config: { layers: Layer[]; output_layers: [string, ...unknown[]][] } } }
  weightsManifest: { weights: Weights[] }[]
}

const FLOAT_BYTES = 4

/**
 * @param weights the bytes of the manifest's shards, joined.
 * @throws Error when it holds a layer that is not known here.
 */
export function onnxOfKeras(model: KerasModel, weights: Uint8Array): Uint8Array {
  const { layers, output_layers: outputs } = model.modelTopology.model_config.config
  const given = readWeights(model, weights)
  const parts = layers.filter(({ class_name }) => class_name !== 'InputLayer').map((layer) => partOf(layer, given))
  const input = layers.find(({ class_name }) => class_name === 'InputLayer')?.config.name
  const output = outputs[0]?.[0]
  if (input === undefined || output === undefined) throw new Error('the network has no input or no output')
  return onnxModel({
    nodes: parts.map(({ node }) => node),
    tensors: parts.flatMap(({ tensors }) => tensors),
    input,
    output,
  })
}

type Part = { node: OnnxNode; tensors: OnnxTensor[] }

function partOf(layer: Layer, given: Map<string, OnnxTensor>): Part {
  const { config, class_name: kind } = layer
  const inputs = (layer.inbound_nodes[0] ?? []).map(([name]) => name)
  const part = (operator: string, more: Partial<OnnxNode> = {}, tensors: OnnxTensor[] = []): Part => ({
    node: { operator, inputs, output: config.name, ...more },
    tensors,
  })
  if (kind === 'Activation' && config.activation === 'relu') return part('Relu')
  if (kind === 'Add' && inputs.length === 2) return part('Add')
  // Channels come first there, and last here.
  if (kind === 'Concatenate') return part('Concat', { attributes: { axis: 1 } })
  if (kind === 'UpSampling2D') return enlarging(config, inputs, part)
  if (kind === 'Conv2D' && config.activation === 'linear') return convolution(config, inputs, given, part)
  throw new Error(`${config.name}: a layer of an unknown kind (${kind})`)
}

type MakePart = (operator: string, more?: Partial<OnnxNode>, tensors?: OnnxTensor[]) => Part

function convolution(config: Layer['config'], inputs: string[], given: Map<string, OnnxTensor>, part: MakePart): Part {
  const { name, kernel_size: [height, width] = [1, 1] } = config
  const kernel = given.get(`${name}/kernel`)
  const bias = given.get(`${name}/bias`)
  if (!kernel || !bias) throw new Error(`${name}: no weights`)
  const [top, left] = [(height - 1) / 2, (width - 1) / 2]
  const attributes = { kernel_shape: [height, width], pads: [top, left, top, left], strides: [1, 1] }
  return part('Conv', { inputs: [...inputs, kernel.name, bias.name], attributes }, [outermostFirst(kernel), bias])
}

function enlarging(
  { name, size = [2, 2], interpolation = 'nearest' }: Layer['config'],
  inputs: string[],
  part: MakePart,
) {
  const scales = { name: `${name}/scales`, shape: [4], data: Float32Array.from([1, 1, ...size]) }
  const isNearest = interpolation === 'nearest'
  const attributes: Record<string, string> = {
    mode: isNearest ? 'nearest' : 'linear',
    coordinate_transformation_mode: isNearest ? 'asymmetric' : 'half_pixel',
    ...(isNearest && { nearest_mode: 'floor' }),
  }
  return part('Resize', { inputs: [...inputs, '', scales.name], attributes }, [scales])
}

function readWeights(model: KerasModel, bytes: Uint8Array): Map<string, OnnxTensor> {
  const tensors = new Map<string, OnnxTensor>()
  // A copy, for a file may begin at any place of a buffer.
  const all = bytes.slice().buffer
  let at = 0
  for (const { name, shape, dtype, quantization } of model.weightsManifest.flatMap(({ weights }) => weights)) {
    if (dtype !== 'float32' || quantization) throw new Error(`${name}: weights of an unknown form`)
    const count = shape.reduce((product, length) => product * length, 1)
    tensors.set(name, { name, shape, data: new Float32Array(all, at, count) })
    at += count * FLOAT_BYTES
  }
  return tensors
}

/** Height, width, in, out → out, in, height, width. */
function outermostFirst({ name, shape, data }: OnnxTensor): OnnxTensor {
  const [height, width, from, to] = shape as [number, number, number, number]
  const moved = new Float32Array(data.length)
  let at = 0
  for (let out = 0; out < to; out++) {
    for (let into = 0; into < from; into++) {
      for (let place = 0; place < height * width; place++) {
        moved[at++] = data[(place * from + into) * to + out] as number
      }
    }
  }
  return { name, shape: [to, from, height, width], data: moved }
}
