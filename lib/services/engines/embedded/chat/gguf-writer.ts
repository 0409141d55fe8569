// Writes the GGUF v3 container: header, metadata, tensor table, then the tensors, each on a 32-byte boundary. Source:
// ggml's "GGUF file format" page. Runs in child processes too, so it imports nothing of the server.

const TENSOR_TYPE = { f32: 0, q8_0: 8 } as const

const VALUE_TYPE = { uint16: 2, uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const

const ALIGNMENT_BYTES = 32

export type GgufEntry = Buffer

export type GgufTensor = {
  name: string
  dims: number[]
  type: keyof typeof TENSOR_TYPE
  data: Buffer
}

export const ggufText = (key: string, value: string): GgufEntry => entry(key, VALUE_TYPE.string, encodeText(value))
export const ggufUint16 = (key: string, value: number): GgufEntry =>
  entry(key, VALUE_TYPE.uint16, encodeUint32(value).subarray(0, 2))
export const ggufInt32 = (key: string, value: number): GgufEntry => entry(key, VALUE_TYPE.int32, encodeUint32(value))
export const ggufUint32 = (key: string, value: number): GgufEntry => entry(key, VALUE_TYPE.uint32, encodeUint32(value))
export const ggufFloat32 = (key: string, value: number): GgufEntry =>
  entry(key, VALUE_TYPE.float32, encodeFloat32(value))
export const ggufBool = (key: string, value: boolean): GgufEntry =>
  entry(key, VALUE_TYPE.bool, Buffer.from([value ? 1 : 0]))

export function ggufTexts(key: string, values: string[]): GgufEntry {
  return entry(key, VALUE_TYPE.array, encodeArray(VALUE_TYPE.string, values.map(encodeText)))
}

export function ggufInt32s(key: string, values: number[]): GgufEntry {
  return entry(key, VALUE_TYPE.array, encodeArray(VALUE_TYPE.int32, values.map(encodeUint32)))
}

export function ggufFloat32s(key: string, values: number[]): GgufEntry {
  return entry(key, VALUE_TYPE.array, encodeArray(VALUE_TYPE.float32, values.map(encodeFloat32)))
}

export function encodeGguf(metadata: GgufEntry[], tensors: GgufTensor[]): Buffer[] {
  let offset = 0
  const table = tensors.map((tensor) => {
    const row = Buffer.concat([
      encodeText(tensor.name),
      encodeUint32(tensor.dims.length),
      ...tensor.dims.map(encodeUint64),
      encodeUint32(TENSOR_TYPE[tensor.type]),
      encodeUint64(offset),
    ])
    offset += tensor.data.length + paddingOf(tensor.data.length)
    return row
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    encodeUint32(3),
    encodeUint64(tensors.length),
    encodeUint64(metadata.length),
    ...metadata,
    ...table,
  ])
  return [head, padding(head.length), ...tensors.flatMap(({ data }) => [data, padding(data.length)])]
}

const BLOCK_LENGTH = 32
const BLOCK_BYTES = 2 + BLOCK_LENGTH

/** Quantises to Q8_0: blocks of 32 values, each a half-precision scale and 32 signed bytes. */
export function quantizeQ8(values: Float32Array): Buffer {
  const blocks = values.length / BLOCK_LENGTH
  if (!Number.isInteger(blocks)) throw new RangeError(`${values.length} values do not fill whole blocks`)
  const out = Buffer.alloc(blocks * BLOCK_BYTES)
  for (let block = 0; block < blocks; block++) {
    const start = block * BLOCK_LENGTH
    let largest = 0
    for (let i = 0; i < BLOCK_LENGTH; i++) largest = Math.max(largest, Math.abs(values[start + i]!))
    const scale = largest / 127
    const inverse = scale ? 1 / scale : 0
    out.writeUInt16LE(halfFloatBits(scale), block * BLOCK_BYTES)
    for (let i = 0; i < BLOCK_LENGTH; i++) {
      const level = Math.max(-127, Math.min(127, Math.round(values[start + i]! * inverse)))
      out.writeInt8(level, block * BLOCK_BYTES + 2 + i)
    }
  }
  return out
}

const floatBits = new Float32Array(1)
const floatBitsAsInteger = new Uint32Array(floatBits.buffer)

function halfFloatBits(value: number): number {
  floatBits[0] = value
  const bits = floatBitsAsInteger[0]!
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const mantissa = bits & 0x7fffff
  if (exponent <= 0) return sign
  if (exponent >= 31) return sign | 0x7c00
  const half = (exponent << 10) | (mantissa >>> 13)
  return sign | (mantissa & 0x1000 ? half + 1 : half)
}

function entry(key: string, type: number, value: Buffer): GgufEntry {
  return Buffer.concat([encodeText(key), encodeUint32(type), value])
}

function encodeArray(type: number, values: Buffer[]): Buffer {
  return Buffer.concat([encodeUint32(type), encodeUint64(values.length), ...values])
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([encodeUint64(bytes.length), bytes])
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function encodeUint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function encodeFloat32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

const paddingOf = (length: number): number => (ALIGNMENT_BYTES - (length % ALIGNMENT_BYTES)) % ALIGNMENT_BYTES
const padding = (length: number): Buffer => Buffer.alloc(paddingOf(length))
