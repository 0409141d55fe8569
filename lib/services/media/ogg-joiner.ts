/**
 * Makes one Ogg Opus stream of several that were written on their own: their heads are left out after the first, and the
 * pages get one serial number, one numbering and one clock. RFC 3533 and RFC 7845.
 */

const HEADER_BYTES = 27
/** Samples at 48 kHz in a packet of 20 ms. */
const PACKET_SAMPLES = 960n
/** OpusHead and OpusTags. */
const HEAD_PACKETS = 2
const FIRST = 2
const LAST = 4

export type OggJoiner = { add(stream: Uint8Array): Uint8Array; end(): Uint8Array }

export function createOggJoiner(serial = Math.floor(Math.random() * 0xffff_ffff)): OggJoiner {
  let pages = 0
  let samples = 0n
  let isFirst = true

  function rewrite(page: Buffer, flags: number): Buffer {
    page[5] = flags
    page.writeBigUInt64LE(samples, 6)
    page.writeUInt32LE(serial, 14)
    page.writeUInt32LE(pages++, 18)
    page.writeUInt32LE(0, 22)
    page.writeUInt32LE(checksum(page), 22)
    return page
  }

  return {
    add(stream) {
      const out: Buffer[] = []
      let heads = 0
      for (const source of pagesOf(stream)) {
        const page = Buffer.from(source)
        const ended = packetsEnded(page)
        if (heads < HEAD_PACKETS) {
          heads += ended
          if (isFirst) out.push(rewrite(page, page[5]! & FIRST))
          continue
        }
        samples += BigInt(ended) * PACKET_SAMPLES
        out.push(rewrite(page, page[5]! & ~(FIRST | LAST)))
      }
      isFirst = false
      return Buffer.concat(out)
    },
    /** A page without a packet says that nothing more comes. */
    end() {
      const page = Buffer.alloc(HEADER_BYTES)
      page.write('OggS', 'latin1')
      return rewrite(page, LAST)
    },
  }
}

function* pagesOf(stream: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at + HEADER_BYTES <= stream.length; ) {
    const segments = stream[at + 26]!
    const table = stream.subarray(at + HEADER_BYTES, at + HEADER_BYTES + segments)
    const end = at + HEADER_BYTES + segments + table.reduce((sum, length) => sum + length, 0)
    yield stream.subarray(at, end)
    at = end
  }
}

/** A packet ends with a segment that is not full. */
function packetsEnded(page: Uint8Array): number {
  return page.subarray(HEADER_BYTES, HEADER_BYTES + page[26]!).filter((length) => length < 255).length
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000_0000 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1
  return sum >>> 0
})

function checksum(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = ((sum << 8) ^ TABLE[((sum >>> 24) ^ byte) & 0xff]!) >>> 0
  return sum
}
