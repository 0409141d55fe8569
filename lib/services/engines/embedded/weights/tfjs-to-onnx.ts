/**
 * Converts networks of convolutions from the files of TensorFlow.js to ONNX, so that one runtime runs them all. Runs on
 * each machine, at load (0.1 to 0.3 s): the registry has these weights in no other format, and this project publishes
 * none of its own (ADR 0032). Node runs it as it stands.
 */

import { type OnnxNode, type OnnxTensor, onnxModel } from './onnx-writer.ts'

type Manifest = { weights: { name: string; shape: number[]; dtype: string; quantization?: unknown }[] }[]
type Part = { node: OnnxNode; tensors?: OnnxTensor[] }

type Layer = {
  class_name: string
  config: {
    name: string
    kernel_size?: [number, number]
    activation?: string
    size?: [number, number]
    interpolation?: string
  }
  inbound_nodes: [string, ...unknown[]][][]
}
export type KerasModel = {
  modelTopology: { model_config: { config: { layers: Layer[]; output_layers: [string, ...unknown[]][] } } }
  weightsManifest: Manifest
}

/**
 * Converts a network that Keras has saved as layers.
 *
 * @param weights the bytes of the manifest's shards, joined.
 * @throws Error for an unknown layer.
 */
export function onnxOfLayers(model: KerasModel, weights: Uint8Array): Uint8Array {
  const { layers, output_layers: outputs } = model.modelTopology.model_config.config
  const given = readWeights(model.weightsManifest, weights)
  const input = layers.find(({ class_name }) => class_name === 'InputLayer')?.config.name
  const output = outputs[0]?.[0]
  if (input === undefined || output === undefined) throw new Error('the network has no input or no output')
  const parts = layers.filter(({ class_name }) => class_name !== 'InputLayer').map((layer) => layerPart(layer, given))
  return modelOf(parts, input, [output])
}

function layerPart({ config, class_name: kind, inbound_nodes: inbound }: Layer, given: Map<string, OnnxTensor>): Part {
  const inputs = (inbound[0] ?? []).map(([name]) => name)
  const node = (operator: string, attributes?: OnnxNode['attributes']): OnnxNode => ({
    operator,
    inputs,
    output: config.name,
    attributes,
  })
  if (kind === 'Activation' && config.activation === 'relu') return { node: node('Relu') }
  if (kind === 'Add' && inputs.length === 2) return { node: node('Add') }
  // Channels come first there, and last here.
  if (kind === 'Concatenate') return { node: node('Concat', { axis: 1 }) }
  if (kind === 'UpSampling2D') {
    const { name, size = [2, 2], interpolation = 'nearest' } = config
    const scales = { name: `${name}/scales`, shape: [4], data: Float32Array.from([1, 1, ...size]) }
    const isNearest = interpolation === 'nearest'
    const resize = node('Resize', {
      mode: isNearest ? 'nearest' : 'linear',
      coordinate_transformation_mode: isNearest ? 'asymmetric' : 'half_pixel',
      ...(isNearest && { nearest_mode: 'floor' }),
    })
    return { node: { ...resize, inputs: [...inputs, '', scales.name] }, tensors: [scales] }
  }
  if (kind === 'Conv2D' && config.activation === 'linear') {
    const kernel = kernelOf(given, `${config.name}/kernel`)
    const bias = constantOf(given, `${config.name}/bias`)
    const conv = node('Conv', { auto_pad: 'SAME_UPPER', strides: [1, 1] })
    return { node: { ...conv, inputs: [...inputs, kernel.name, bias.name] }, tensors: [kernel, bias] }
  }
  throw new Error(`${config.name}: a layer of an unknown kind (${kind})`)
}

type GraphNode = {
  name: string
  op: string
  input?: string[]
  attr?: { strides?: { list: { i: (number | string)[] } }; epsilon?: { f: number } }
}
export type GraphModel = { modelTopology: { node: GraphNode[] }; weightsManifest: Manifest }

/**
 * Converts the part of a frozen graph that leads from one node to others, with "same" padding throughout. The results
 * are named `{output}/last` and stay `[1, height, width, channels]`.
 *
 * @param weights the bytes of the manifest's shards, joined.
 * @throws Error for an unknown operation.
 */
export function onnxOfGraph(model: GraphModel, weights: Uint8Array, input: string, outputs: string[]): Uint8Array {
  const given = readWeights(model.weightsManifest, weights)
  const nodes = new Map(model.modelTopology.node.map((node) => [node.name, node]))
  const parts: Part[] = []
  const visited = new Set([input, ...given.keys()])
  const visit = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    const node = nodes.get(name)
    if (!node) throw new Error(`${name}: not in the graph`)
    for (const needed of node.input ?? []) visit(needed)
    parts.push(...graphParts(node, given))
  }
  for (const output of outputs) {
    visit(output)
    parts.push({
      node: { operator: 'Transpose', inputs: [output], output: `${output}/last`, attributes: { perm: [0, 2, 3, 1] } },
    })
  }
  return modelOf(
    parts,
    input,
    outputs.map((output) => `${output}/last`),
  )
}

const ELEMENTWISE: Record<string, string> = { Add: 'Add', AddN: 'Add', BiasAdd: 'Add', Mul: 'Mul', Sub: 'Sub' }

function graphParts({ name, op, input: inputs = [], attr = {} }: GraphNode, given: Map<string, OnnxTensor>): Part[] {
  const [from = '', second = ''] = inputs
  const operator = ELEMENTWISE[op]
  if (operator && inputs.length === 2) {
    const tensors = inputs.filter((input) => given.has(input)).map((input) => perChannel(constantOf(given, input)))
    return [{ node: { operator, inputs, output: name }, tensors }]
  }
  if (op === 'Relu6') {
    const bounds = [0, 6].map((bound) => ({ name: `${name}/${bound}`, shape: [], data: Float32Array.of(bound) }))
    const node = { operator: 'Clip', inputs: [from, ...bounds.map((bound) => bound.name)], output: name }
    return [{ node, tensors: bounds }]
  }
  if (op === 'Conv2D' || op === 'DepthwiseConv2dNative') {
    const kernel = kernelOf(given, second)
    const isDepthwise = op !== 'Conv2D'
    const [one = 0, channels = 0, ...size] = kernel.shape
    if (isDepthwise && one !== 1) throw new Error(`${name}: more than one result a channel`)
    const attributes = {
      auto_pad: 'SAME_UPPER',
      strides: (attr.strides?.list.i ?? []).slice(1, 3).map(Number),
      group: isDepthwise ? channels : 1,
    }
    const node = { operator: 'Conv', inputs: [from, kernel.name], output: name, attributes }
    // With one result a channel, both orders of the first two lengths are the same bytes.
    return [{ node, tensors: [isDepthwise ? { ...kernel, shape: [channels, 1, ...size] } : kernel] }]
  }
  if (op === 'FusedBatchNorm') return normalisation(name, inputs, attr.epsilon?.f ?? 0, given)
  throw new Error(`${name}: an operation of an unknown kind (${op})`)
}

function normalisation(name: string, inputs: string[], epsilon: number, given: Map<string, OnnxTensor>): Part[] {
  const [from = '', ...names] = inputs
  const [gamma, beta, mean, variance] = names.map((constant) => constantOf(given, constant).data)
  if (!gamma || !beta || !mean || !variance) throw new Error(`${name}: no weights`)
  const scale = gamma.map((value, channel) => value / Math.sqrt(variance[channel]! + epsilon))
  const shift = beta.map((value, channel) => value - mean[channel]! * scale[channel]!)
  const tensor = (suffix: string, data: Float32Array) =>
    perChannel({ name: `${name}/${suffix}`, shape: [data.length], data })
  return [
    {
      node: { operator: 'Mul', inputs: [from, `${name}/scale`], output: `${name}/scaled` },
      tensors: [tensor('scale', scale)],
    },
    {
      node: { operator: 'Add', inputs: [`${name}/scaled`, `${name}/shift`], output: name },
      tensors: [tensor('shift', shift)],
    },
  ]
}

function modelOf(parts: Part[], input: string, outputs: string[]): Uint8Array {
  const tensors = new Map(parts.flatMap(({ tensors = [] }) => tensors.map((tensor) => [tensor.name, tensor])))
  return onnxModel({
    nodes: parts.map(({ node }) => node),
    tensors: [...tensors.values()],
    inputs: [{ name: input, shape: [1, 3, 'height', 'width'] }],
    outputs: outputs.map((name) => ({ name })),
  })
}

const BYTES: Record<string, number> = { float32: 4, int32: 4 }

export function readWeights(manifest: Manifest, bytes: Uint8Array): Map<string, OnnxTensor> {
  const tensors = new Map<string, OnnxTensor>()
  // A copy, for a file may begin at any place of a buffer.
  const all = bytes.slice().buffer
  let at = 0
  for (const { name, shape, dtype, quantization } of manifest.flatMap(({ weights }) => weights)) {
    const valueBytes = BYTES[dtype]
    if (!valueBytes || quantization) throw new Error(`${name}: weights of an unknown form`)
    const count = shape.reduce((product, length) => product * length, 1)
    if (dtype === 'float32') tensors.set(name, { name, shape, data: new Float32Array(all, at, count) })
    at += count * valueBytes
  }
  return tensors
}

function constantOf(given: Map<string, OnnxTensor>, name: string): OnnxTensor {
  const tensor = given.get(name)
  if (!tensor) throw new Error(`${name}: no weights`)
  return tensor
}

function perChannel(tensor: OnnxTensor): OnnxTensor {
  return tensor.shape.length === 1 ? { ...tensor, shape: [tensor.shape[0]!, 1, 1] } : tensor
}

/** Transposes height, width, in, out to out, in, height, width. */
function kernelOf(given: Map<string, OnnxTensor>, kernel: string): OnnxTensor {
  const { name, shape, data } = constantOf(given, kernel)
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
