import decode from 'heic-decode'
import sharp, { type Sharp } from 'sharp'
import { MAX_IMAGE_PIXELS } from '../../contract/limits.ts'
import type { ImageKind } from './sniff.ts'

type Size = { width: number; height: number }

// Nothing but what is named here is decoded, whatever a file pretends to be; and nothing is kept between files.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`),
})
sharp.cache(false)
sharp.concurrency(1)

/** Opens a file of a known kind, upright. `assertSize` judges the size that its header names before a pixel is decoded. */
export async function openImage(kind: ImageKind, bytes: Uint8Array, assertSize: (size: Size) => void): Promise<Sharp> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'heic') {
    const { data, ...info } = await decodeHeic(file, assertSize)
    return sharp(data, { raw: { ...info, channels: 4 } })
  }
  const header = await sharp(file, { limitInputPixels: false }).metadata()
  if (header.format !== (kind === 'avif' ? 'heif' : kind)) throw new Error(`${kind} turned out to be ${header.format}`)
  assertSize(header)
  return sharp(file, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', autoOrient: true })
}

/**
 * Decodes the first picture of a HEIC file to RGBA, upright. The library is libheif compiled to WebAssembly: a hostile
 * file reaches only its memory.
 */
async function decodeHeic(bytes: Buffer, assertSize: (size: Size) => void): Promise<Size & { data: Uint8Array }> {
  const images = await decode.all({ buffer: bytes })
  try {
    const first = images[0]
    if (!first) throw new Error('no picture')
    assertSize(first)
    const { width, height, data } = await first.decode()
    return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
  } finally {
    images.dispose()
  }
}
