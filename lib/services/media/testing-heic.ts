import { BLOCK, makeHevc, PROFILE } from '@/lib/services/media/testing-hevc'

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
