const COLUMNS = 4
const ROWS = 3
const RED = [81, 90, 240] as const
const BLUE = [41, 240, 110] as const

export function makeHeic({ turns = 0, width = COLUMNS * BLOCK, height = ROWS * BLOCK } = {}): Uint8Array {
  const colours = Array.from({ length: COLUMNS * ROWS }, (_, index) => (index < COLUMNS * 2 ? RED : BLUE))
  const { sets, picture: image } = makeHevc(COLUMNS * BLOCK, ROWS * BLOCK, colours)
  const frame = Buffer.concat([u32(image.length), image])
  // The sizes told and those of the picture differ in a lying file only.
  const properties = [configuration(sets), fullBox('ispe', u32(width), u32(height)), box('irot', Buffer.from([turns]))]
  const association = fullBox('ipma', u32(1), u16(1), Buffer.from([3, 0x81, 0x02, 0x83]))
  const meta = (offset: number) =>
    fullBox(
      'meta',
      fullBox('hdlr', u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', u16(1)),
      // One stretch of the file, by an offset and a length of four bytes each.
      fullBox('iloc', Buffer.from([0x44, 0x00]), u16(1), u16(1), u16(0), u16(1), u32(offset), u32(frame.length)),
      fullBox('iinf', u16(1), entry()),
      box('iprp', box('ipco', ...properties), association),
    )
  const brands = box('ftyp', Buffer.from('heic'), u32(0), Buffer.from('mif1heic'))
  const offset = brands.length + meta(0).length + 8
  return Buffer.concat([brands, meta(offset), box('mdat', frame)])
}

const entry = () => fullBox('infe', u16(1), u16(0), Buffer.from('hvc1\0')).fill(2, 8, 9)

function configuration(sets: Buffer[]): Buffer {
  const numbers = Buffer.from([0xf0, 0, 0xfc, 0xfd, 0xf8, 0xf8, 0, 0, 0x0f, sets.length])
  const arrays = sets.flatMap((set, index) => [Buffer.from([0xa0 + index]), u16(1), u16(set.length), set])
  return box('hvcC', Buffer.from([1]), PROFILE, numbers, ...arrays)
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([u32(content.length + 8), Buffer.from(type), content])
}

function fullBox(type: string, ...parts: Buffer[]): Buffer {
  return box(type, u32(0), ...parts)
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const BLOCK = 32

type Yuv = readonly [number, number, number]

/** ITU-T H.265, table 9-52, as far as one context comes in MAX_BLOCKS blocks. */
const LESS_PROBABLE_RANGES = [
  [128, 176, 208, 240],
  [128, 167, 197, 227],
  [128, 158, 187, 216],
  [123, 150, 178, 205],
  [116, 142, 169, 195],
  [111, 135, 160, 185],
  [105, 128, 152, 175],
  [100, 122, 144, 166],
  [95, 116, 137, 158],
  [90, 110, 130, 150],
  [85, 104, 123, 142],
  [81, 99, 117, 135],
]

/**
 * Writes one HEVC picture, because no HEVC encoder is at hand. Its blocks hold bare samples ("PCM" in ITU-T H.265),
 * each block of one colour, so that an encoder is a bit writer and two lines of arithmetic coding.
 *
 * @returns the parameter sets (video, sequence, picture) and the picture, as NAL units.
 */
function makeHevc(width: number, height: number, colours: Yuv[]): { sets: Buffer[]; picture: Buffer } {
  const sets = [nal(32, videoSet()), nal(33, sequenceSet(width, height)), nal(34, pictureSet())]
  return { sets, picture: nal(19, slice(colours)) }
}

const PROFILE = Buffer.from([0x01, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93])

function videoSet(): Bits {
  const bits = new Bits().put(0, 4).put(3, 2).put(0, 6).put(0, 3).put(1, 1).put(0xffff, 16).bytes(PROFILE)
  return bits.put(1, 1).golomb(0, 0, 0).put(0, 6).golomb(0).put(0, 2).stop()
}

function sequenceSet(width: number, height: number): Bits {
  const bits = new Bits().put(0, 4).put(0, 3).put(1, 1).bytes(PROFILE)
  bits.golomb(0, 1, width, height).put(0, 1).golomb(0, 0, 0).put(1, 1).golomb(0, 0, 0)
  // Blocks of 32 only, transforms of 4 to 32.
  bits.golomb(2, 0, 0, 3, 0, 0).put(0, 3)
  // Bare samples of 8 bits in blocks of 32, left alone by the loop filter.
  bits.put(1, 1).put(7, 4).put(7, 4).golomb(2, 0).put(1, 1)
  return bits.golomb(0).put(0, 5).stop()
}

function pictureSet(): Bits {
  const bits = new Bits().golomb(0, 0).put(0, 7).golomb(0, 0, 0).put(0, 3).golomb(0, 0)
  return bits.put(0, 9).golomb(0).put(0, 2).stop()
}

function slice(colours: Yuv[]): Bits {
  const bits = new Bits().put(2, 2).golomb(0, 2, 0).stop()
  const coder = new Coder(bits)
  colours.forEach(([y, u, v], index) => {
    coder.undivided()
    coder.end(true)
    bits.align().bytes(Buffer.alloc(BLOCK * BLOCK, y))
    bits.bytes(Buffer.alloc((BLOCK * BLOCK) / 4, u)).bytes(Buffer.alloc((BLOCK * BLOCK) / 4, v))
    coder.restart()
    coder.end(index === colours.length - 1)
  })
  return bits.align()
}

function nal(type: number, bits: Bits): Buffer {
  const bytes = [type << 1, 1]
  let zeros = 0
  for (const byte of bits.toBytes()) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3)
      zeros = 0
    }
    bytes.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Buffer.from(bytes)
}

class Bits {
  readonly #bits: number[] = []

  put(value: number, count: number): this {
    for (let at = count - 1; at >= 0; at--) this.#bits.push((value >>> at) & 1)
    return this
  }

  bytes(bytes: Uint8Array): this {
    for (const byte of bytes) this.put(byte, 8)
    return this
  }

  golomb(...values: number[]): this {
    for (const value of values) {
      const length = Math.floor(Math.log2(value + 1))
      this.put(0, length).put(value + 1, length + 1)
    }
    return this
  }

  stop(): this {
    return this.put(1, 1).align()
  }

  align(): this {
    return this.put(0, (8 - (this.#bits.length % 8)) % 8)
  }

  toBytes(): number[] {
    return Array.from({ length: this.#bits.length / 8 }, (_, at) =>
      this.#bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
    )
  }
}

/** The arithmetic coder of H.265, 9.3.4, for the two things said of a block: that it is undivided, and that it ends. */
class Coder {
  readonly #bits: Bits
  #low = 0
  #range = 510
  #outstanding = 0
  #isFirst = true
  #state = 0

  constructor(bits: Bits) {
    this.#bits = bits
  }

  restart(): void {
    this.#low = 0
    this.#range = 510
    this.#outstanding = 0
    this.#isFirst = true
  }

  undivided(): void {
    this.#range -= LESS_PROBABLE_RANGES[this.#state++]?.[(this.#range >> 6) & 3] ?? Number.NaN
    this.#normalise()
  }

  end(isEnd: boolean): void {
    this.#range -= 2
    if (isEnd) {
      this.#low += this.#range
      this.#range = 2
    }
    this.#normalise()
    if (!isEnd) return
    this.#say((this.#low >> 9) & 1)
    this.#bits.put(((this.#low >> 7) & 3) | 1, 2)
  }

  #normalise(): void {
    while (this.#range < 256) {
      if (this.#low < 256) this.#say(0)
      else if (this.#low >= 512) {
        this.#low -= 512
        this.#say(1)
      } else {
        this.#low -= 256
        this.#outstanding++
      }
      this.#range <<= 1
      this.#low <<= 1
    }
  }

  #say(bit: number): void {
    if (this.#isFirst) this.#isFirst = false
    else this.#bits.put(bit, 1)
    for (; this.#outstanding > 0; this.#outstanding--) this.#bits.put(1 - bit, 1)
  }
}
