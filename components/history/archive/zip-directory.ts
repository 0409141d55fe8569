import { ArchiveError, LIMITS } from '@/components/history/archive/limits'
import { msg } from '@/lib/i18n/t'

/** A file of a zip, and where it is. Sizes and places are bytes. */
export type ZipEntry = { path: string; method: number; packedSize: number; size: number; offset: number }

/** Signatures, sizes and places of fields. Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const END = { signature: 0x06054b50, size: 22, count: 10, length: 12, offset: 16 }
const ENTRY = { signature: 0x02014b50, size: 46, flags: 8, method: 10, packed: 20, unpacked: 24, name: 28, offset: 42 }
const LOCAL = { signature: 0x04034b50, size: 30, name: 26, extra: 28 }
const MAX_COMMENT = 0xffff
const MAX_DIRECTORY_BYTES = 64 * 1024 ** 2
const STORED = 0
const DEFLATED = 8
const IS_ENCRYPTED = 1

/**
 * The files that a zip says it has, without unpacking it; none where it does not say so in the plain form: cut off, or
 * with more or larger files than that form can name.
 */
export async function readDirectory(zip: Blob): Promise<ZipEntry[]> {
  const tail = await viewOf(zip, Math.max(0, zip.size - END.size - MAX_COMMENT), zip.size)
  let end = tail.byteLength - END.size
  while (end >= 0 && tail.getUint32(end, true) !== END.signature) end -= 1
  if (end < 0) return []
  const count = Math.min(tail.getUint16(end + END.count, true), LIMITS.entries)
  const length = tail.getUint32(end + END.length, true)
  const start = tail.getUint32(end + END.offset, true)
  if (length > MAX_DIRECTORY_BYTES || start + length > zip.size) return []
  return entriesOf(await viewOf(zip, start, start + length), count)
}

function entriesOf(directory: DataView<ArrayBuffer>, count: number): ZipEntry[] {
  const text = new TextDecoder()
  const entries: ZipEntry[] = []
  let at = 0
  while (entries.length < count && at + ENTRY.size <= directory.byteLength) {
    if (directory.getUint32(at, true) !== ENTRY.signature) break
    const short = (field: number) => directory.getUint16(at + field, true)
    const long = (field: number) => directory.getUint32(at + field, true)
    const [nameLength, extraLength, commentLength] = [short(ENTRY.name), short(ENTRY.name + 2), short(ENTRY.name + 4)]
    const next = at + ENTRY.size + nameLength + extraLength + commentLength
    if (next > directory.byteLength) break
    entries.push({
      path: text.decode(new Uint8Array(directory.buffer, at + ENTRY.size, nameLength)),
      // What is encrypted is nothing that is read here.
      method: short(ENTRY.flags) & IS_ENCRYPTED ? -1 : short(ENTRY.method),
      packedSize: long(ENTRY.packed),
      size: long(ENTRY.unpacked),
      offset: long(ENTRY.offset),
    })
    at = next
  }
  return entries
}

/**
 * The bytes of one file of a zip; `undefined` where it holds more than `mostBytes`, or in a form that is not read.
 *
 * @throws ArchiveError when the zip is damaged there.
 */
export async function readEntry(zip: Blob, entry: ZipEntry, mostBytes: number): Promise<Blob | undefined> {
  if (entry.size > mostBytes || (entry.method !== STORED && entry.method !== DEFLATED)) return undefined
  const head = await viewOf(zip, entry.offset, entry.offset + LOCAL.size)
  if (head.byteLength < LOCAL.size || head.getUint32(0, true) !== LOCAL.signature) throw damaged()
  const start = entry.offset + LOCAL.size + head.getUint16(LOCAL.name, true) + head.getUint16(LOCAL.extra, true)
  const packed = zip.slice(start, start + entry.packedSize)
  if (packed.size < entry.packedSize) throw damaged()
  return entry.method === STORED ? new Blob([await packed.arrayBuffer()]) : inflated(packed, mostBytes)
}

async function inflated(packed: Blob, mostBytes: number): Promise<Blob | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return new Blob(parts)
      size += value.byteLength
      // What an entry says of its size need not be so.
      if (size > mostBytes) return undefined
      parts.push(value)
    }
  } catch (error) {
    throw damaged(error)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function viewOf(blob: Blob, start: number, end: number): Promise<DataView<ArrayBuffer>> {
  return new DataView(await blob.slice(start, end).arrayBuffer())
}

const damaged = (cause?: unknown) =>
  Object.assign(new ArchiveError('invalid', msg('The ZIP file is damaged or incomplete.')), { cause })
