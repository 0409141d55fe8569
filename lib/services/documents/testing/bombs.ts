import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

type RawEntry = {
  name: string
  data: Uint8Array
  claimedSize?: number
  flags?: number
  sharesWith?: number
}

/** Writes a ZIP file byte by byte, so that its headers can lie. */
export function rawZip(entries: RawEntry[], claimedCount?: number): Uint8Array {
  const local: Buffer[] = []
  const central: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const { name, data, claimedSize, flags = 0, sharesWith } of entries) {
    const packed = deflateRawSync(data)
    const size = claimedSize ?? data.length
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(size, 18)
    fields.writeUInt16LE(name.length, 22)
    const offset = sharesWith === undefined ? at : offsets[sharesWith]!
    offsets.push(offset)
    if (sharesWith === undefined) {
      const bytes = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed])
      local.push(bytes)
      at += bytes.length
    }
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, tail, Buffer.from(name)]))
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(claimedCount ?? entries.length, 8)
  end.writeUInt16LE(claimedCount ?? entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...local, directory, end])
}

export function zip64With(claimedCount: bigint): Uint8Array {
  const trailer = Buffer.alloc(56)
  trailer.write('PK\x06\x06', 0, 'latin1')
  trailer.writeBigUInt64LE(44n, 4)
  trailer.writeBigUInt64LE(claimedCount, 24)
  trailer.writeBigUInt64LE(claimedCount, 32)
  trailer.writeBigUInt64LE(46n, 40)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 0, 'latin1')
  locator.writeUInt32LE(1, 16)
  const end = Buffer.alloc(22, 0xff)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt32LE(0, 4)
  end.writeUInt16LE(0, 20)
  const head = Buffer.from(`PK\x03\x04${'\0'.repeat(42)}`, 'latin1')
  locator.writeBigUInt64LE(BigInt(head.length), 8)
  return Buffer.concat([head, trailer, locator, end])
}

type PdfObject = string | { dictionary: string; stream: Uint8Array }

export function rawPdf(objects: PdfObject[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  for (const [i, object] of objects.entries()) {
    parts.push(Buffer.from(`${i + 1} 0 obj\n`))
    if (typeof object === 'string') parts.push(Buffer.from(object))
    else {
      parts.push(Buffer.from(`<< ${object.dictionary} /Length ${object.stream.length} >>\nstream\n`))
      parts.push(Buffer.from(object.stream), Buffer.from('\nendstream'))
    }
    parts.push(Buffer.from('\nendobj\n'))
  }
  parts.push(Buffer.from(`trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`))
  return Buffer.concat(parts)
}

export const onePagePdf = (content: PdfObject, resources = '', more: PdfObject[] = []): Uint8Array =>
  rawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << ${resources} >> >>`,
    content,
    ...more,
  ])

export function packed(data: Uint8Array, layers: number, more = ''): { dictionary: string; stream: Uint8Array } {
  let stream: Uint8Array = data
  for (let i = 0; i < layers; i++) stream = deflateSync(stream, { level: 1 })
  return { dictionary: `${more} /Filter [${'/FlateDecode '.repeat(layers)}]`, stream }
}

export function pngOf(width: number, height: number): Uint8Array {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const size = Buffer.alloc(4)
    size.writeUInt32BE(data.length)
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([size, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const data = deflateSync(Buffer.alloc(100_000))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}
