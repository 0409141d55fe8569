/**
 * Reads the constant tensors of an ONNX model: `ModelProto.graph.initializer`, and nothing else of the file.
 * Source: onnx.proto3 of the ONNX project for the field numbers. Runs in child processes, so it imports nothing.
 */

/** Field numbers: ModelProto.graph, GraphProto.initializer, and those of TensorProto. */
const MODEL_GRAPH = 7
const GRAPH_INITIALIZER = 5
const TENSOR = { dims: 1, dataType: 2, floatData: 4, int32Data: 5, name: 8, rawData: 9 } as const

/** TensorProto.DataType. */
export const ONNX_TYPE = { float: 1, uint8: 2, int8: 3 } as const

export type OnnxTensor = {
  name: string
  /** One of `ONNX_TYPE`, or another of the format's numbers. */
  type: number
  dims: number[]
  /** Little-endian values; absent where the file lists them as numbers. */
  raw?: Buffer
  numbers: number[]
}

/** The model's constant tensors by name. @throws RangeError when the file ends within a field. */
export function readInitializers(file: Buffer): Map<string, OnnxTensor> {
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

/** The tensor's values as floats. */
export function floatsOf({ name, type, raw, numbers }: OnnxTensor): Float32Array {
  if (type !== ONNX_TYPE.float) throw new RangeError(`${name}: type ${type} where floats are expected`)
  if (!raw) return Float32Array.from(numbers)
  return new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length))
}

/** The tensor's values as the bytes or signed bytes that they are. */
export function bytesOf({ name, type, raw, numbers }: OnnxTensor): Int8Array | Uint8Array {
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

/** One field of a protocol buffer message: an integer, or the bytes of everything else. */
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
