/**
 * Encodes a record as bytes and back, with what JSON lacks: big integers and files. Layout: length of the JSON (4) ·
 * JSON · the bytes of the files, one after the other.
 */

const MARK = '$'

type Bytes = Uint8Array<ArrayBuffer>
type Plain = { [name: string]: unknown }

export async function recordBytes(record: unknown): Promise<Bytes> {
  const files: Blob[] = []
  const json = new TextEncoder().encode(JSON.stringify(pack(record, files)))
  const head = new Uint8Array(4)
  new DataView(head.buffer).setUint32(0, json.length)
  return new Uint8Array(await new Blob([head, json, ...files]).arrayBuffer())
}

export const recordText = (record: unknown): string => JSON.stringify(pack(record, []))

/** @throws SyntaxError when these are not bytes that `bytesOf` made. */
export function recordOf(bytes: Bytes): unknown {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const json = new TextDecoder().decode(bytes.subarray(4, 4 + length))
  const rest = { bytes, at: 4 + length }
  return unpack(JSON.parse(json), rest)
}

function pack(value: unknown, files: Blob[]): unknown {
  if (typeof value === 'bigint') return { [MARK]: 'whole', value: String(value) }
  if (value instanceof Blob) {
    files.push(value)
    return { [MARK]: 'file', type: value.type, size: value.size }
  }
  if (Array.isArray(value)) return value.map((item) => pack(item, files))
  if (value === null || typeof value !== 'object') return value
  const packed: Plain = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pack(item, files)]))
  return MARK in packed ? { [MARK]: 'object', value: packed } : packed
}

function unpack(value: unknown, rest: { bytes: Bytes; at: number }): unknown {
  if (Array.isArray(value)) return value.map((item) => unpack(item, rest))
  if (value === null || typeof value !== 'object') return value
  const packed = value as Plain
  if (packed[MARK] === 'whole') return BigInt(String(packed.value))
  if (packed[MARK] === 'file') {
    const from = rest.at
    rest.at += Number(packed.size)
    return new Blob([rest.bytes.subarray(from, rest.at)], { type: String(packed.type) })
  }
  const fields = packed[MARK] === 'object' ? (packed.value as Plain) : packed
  return Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, unpack(item, rest)]))
}
