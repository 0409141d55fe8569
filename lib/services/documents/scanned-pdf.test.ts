import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readDocument } from './documents.ts'
import { onePagePdf, packed } from './testing/bombs.ts'
import { scannedPdf } from './testing/documents.ts'

async function halves(image: Uint8Array): Promise<{ width: number; height: number; left: number; right: number }> {
  const { data, info } = await sharp(image).grayscale().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number) => data[(info.height >> 1) * info.width * info.channels + Math.floor(x) * info.channels]!
  return { width: info.width, height: info.height, left: at(info.width / 4), right: at((info.width * 3) / 4) }
}

async function imagesOf(bytes: Uint8Array): Promise<Uint8Array[]> {
  const { parts } = await readDocument({ format: 'pdf', bytes, maxChars: 10_000 })
  return parts.flatMap((part) => ('image' in part ? [part.image] : []))
}

const pageWith = (dictionary: string, stream: Uint8Array) =>
  onePagePdf({ dictionary: '', stream: Buffer.from('q 600 0 0 800 0 0 cm 0 g /I Do Q') }, '/XObject << /I 5 0 R >>', [
    packed(stream, 1, `/Type /XObject /Subtype /Image /Width 64 /Height 32 ${dictionary}`),
  ])

const bits = Buffer.concat(Array.from({ length: 32 }, () => Buffer.from([0, 0, 0, 0, 255, 255, 255, 255])))
const grey = Buffer.concat(Array.from({ length: 32 }, () => Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 255)])))

describe('a page without text gives its pictures', () => {
  test.each([
    ['one bit a pixel', '/BitsPerComponent 1 /ColorSpace /DeviceGray', bits, 0],
    ['one bit a pixel, turned over', '/BitsPerComponent 1 /ColorSpace /DeviceGray /Decode [1 0]', bits, 255],
    ['a mask', '/BitsPerComponent 1 /ImageMask true', bits, 0],
    ['a mask, turned over', '/BitsPerComponent 1 /ImageMask true /Decode [1 0]', bits, 255],
    ['grey', '/BitsPerComponent 8 /ColorSpace /DeviceGray', grey, 0],
    [
      'colour',
      '/BitsPerComponent 8 /ColorSpace /DeviceRGB',
      Buffer.from([...grey].flatMap((value) => [value, value, value])),
      0,
    ],
    [
      'colours of print',
      '/BitsPerComponent 8 /ColorSpace /DeviceCMYK',
      Buffer.from([...grey].flatMap((value) => [0, 0, 0, 255 - value])),
      0,
    ],
  ])('%s', async (_name, dictionary, stream, left) => {
    const images = await imagesOf(pageWith(dictionary, stream))
    expect(images).toHaveLength(1)
    const seen = await halves(images[0]!)
    expect({ width: seen.width, height: seen.height }).toEqual({ width: 64, height: 32 })
    expect(Math.abs(seen.left - left)).toBeLessThan(50)
    expect(Math.abs(seen.right - (255 - left))).toBeLessThan(50)
  })

  test('as JPEG, turned as the page is turned', async () => {
    const raw = { width: 64, height: 32, channels: 1 } as const
    const jpeg = await sharp(grey, { raw }).jpeg().toBuffer()
    const document = await PDFDocument.create()
    const page = document.addPage([64, 32])
    page.drawImage(await document.embedJpg(jpeg), { x: 0, y: 0, width: 64, height: 32 })
    page.setRotation({ type: 'degrees', angle: 180 } as Parameters<typeof page.setRotation>[0])
    const images = await imagesOf(await document.save())
    expect(await halves(images[0]!)).toMatchObject({ width: 64, height: 32, left: 255, right: 0 })
  })

  test('of at most twenty pages', async () => {
    const image = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
      .png()
      .toBuffer()
    expect(await imagesOf(await scannedPdf(Array.from({ length: 24 }, () => image)))).toHaveLength(20)
  })
})
