/**
 * Writes networks as ONNX: the few parts of the format (a protocol buffer) that this project needs. Field numbers are
 * those of onnx.proto, version 1. Node runs it as it stands.
 */

const IR_VERSION = 8
const OPERATOR_SET = 13
const TYPES = { float: 1, int64: 7, bool: 9 }

type Attribute = number | number[] | string
export type OnnxNode = {
  operator: string
  inputs: string[]
  output: string
  attributes?: Record<string, Attribute>
}
export type OnnxTensor<Data = Float32Array> = { name: string; shape: number[]; data: Data }

/** Lengths that differ from run to run have names. Without a shape it may be any. */
export type OnnxValue = { name: string; type?: keyof typeof TYPES; shape?: (number | string)[] }

type Graph = {
  nodes: OnnxNode[]
  tensors: OnnxTensor<Float32Array | BigInt64Array>[]
  inputs: OnnxValue[]
  outputs: OnnxValue[]
  operatorSet?: number
}

export function onnxModel({ nodes, tensors, inputs, outputs, operatorSet = OPERATOR_SET }: Graph): Uint8Array {
  const graph = Buffer.concat([
    ...nodes.map((node) => field(1, nodeBytes(node))),
    field(2, 'network'),
    ...tensors.map((tensor) => field(5, tensorBytes(tensor))),
    ...inputs.map((input) => field(11, valueInfo(input))),
    ...outputs.map((output) => field(12, valueInfo(output))),
  ])
  return Buffer.concat([field(1, IR_VERSION), field(7, graph), field(8, field(2, operatorSet))])
}

function nodeBytes({ operator, inputs, output, attributes = {} }: OnnxNode): Buffer {
  const written = Object.entries(attributes).map(([name, value]) => field(5, attributeBytes(name, value)))
  return Buffer.concat([...inputs.map((name) => field(1, name)), field(2, output), field(4, operator), ...written])
}

function attributeBytes(name: string, value: Attribute): Buffer {
  const [place, kind] = typeof value === 'number' ? [3, 2] : typeof value === 'string' ? [4, 3] : [8, 7]
  const values = Array.isArray(value) ? value : [value]
  return Buffer.concat([field(1, name), ...values.map((one) => field(place, one)), field(20, kind)])
}

function tensorBytes({ name, shape, data }: OnnxTensor<Float32Array | BigInt64Array>): Buffer {
  const type = data instanceof Float32Array ? TYPES.float : TYPES.int64
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return Buffer.concat([...shape.map((length) => field(1, length)), field(2, type), field(8, name), field(9, raw)])
}

function valueInfo({ name, type = 'float', shape }: OnnxValue): Buffer {
  const lengths = shape?.map((length) => field(1, typeof length === 'number' ? field(1, length) : field(2, length)))
  const tensor = Buffer.concat([field(1, TYPES[type]), ...(lengths ? [field(2, Buffer.concat(lengths))] : [])])
  return Buffer.concat([field(1, name), field(2, field(1, tensor))])
}

function field(place: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([whole(place * 8), whole(value)])
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([whole(place * 8 + 2), whole(bytes.length), bytes])
}

function whole(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
