/**
 * Writes the few parts of the ONNX format (a protocol buffer) that a network of convolutions needs. Node runs it as it
 * stands. Field numbers are those of onnx.proto, version 1.
 */

const IR_VERSION = 8
const OPERATOR_SET = 13
const FLOAT = 1

type Attribute = number | number[] | string
export type OnnxNode = {
  operator: string
  inputs: string[]
  output: string
  attributes?: Record<string, Attribute>
}
export type OnnxTensor = { name: string; shape: number[]; data: Float32Array }

type Graph = { nodes: OnnxNode[]; tensors: OnnxTensor[]; input: string; outputs: string[] }

/** A model from a picture `[1, 3, any height, any width]` to values of whatever shape comes of it. */
export function onnxModel({ nodes, tensors, input, outputs }: Graph): Uint8Array {
  const graph = Buffer.concat([
    ...nodes.map((node) => field(1, nodeBytes(node))),
    field(2, 'picture'),
    ...tensors.map((tensor) => field(5, tensorBytes(tensor))),
    field(11, valueInfo(input, ['height', 'width'])),
    ...outputs.map((output) => field(12, valueInfo(output))),
  ])
  return Buffer.concat([field(1, IR_VERSION), field(7, graph), field(8, field(2, OPERATOR_SET))])
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

function tensorBytes({ name, shape, data }: OnnxTensor): Buffer {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return Buffer.concat([...shape.map((length) => field(1, length)), field(2, FLOAT), field(8, name), field(9, raw)])
}

/** Of floats; with the names of a picture's lengths, of that shape. */
function valueInfo(name: string, lengths?: [string, string]): Buffer {
  const sizes = lengths && [field(1, 1), field(1, 3), ...lengths.map((length) => field(2, length))]
  const shape = sizes && field(2, Buffer.concat(sizes.map((size) => field(1, size))))
  const tensor = Buffer.concat([field(1, FLOAT), ...(shape ? [shape] : [])])
  return Buffer.concat([field(1, name), field(2, field(1, tensor))])
}

/** A field of a message: whole numbers as they are, text and bytes with their length. */
function field(place: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([whole(place * 8), whole(value)])
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([whole(place * 8 + 2), whole(bytes.length), bytes])
}

/** Seven bits a byte, the lowest first. */
function whole(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
