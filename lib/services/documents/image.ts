import sharp, { type Sharp } from 'sharp'
import { MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE } from '../../contract/limits.ts'
import { ExtractionError } from './parser-protocol.ts'

export type Pixels = { data: Uint8Array | Uint8ClampedArray; width: number; height: number; channels: 1 | 3 | 4 }

// One picture at a time, nothing kept, and only loaders that have been attacked for decades.
sharp.concurrency(1)
sharp.cache(false)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
})

export function encodePixels({ data, width, height, channels }: Pixels, rotation: number): Promise<Uint8Array> {
  const size = width * height * channels
  const exact = data.length === size ? data : data.subarray(0, size)
  return toPng(sharp(exact, { raw: { width, height, channels }, limitInputPixels: MAX_IMAGE_PIXELS }).rotate(rotation))
}

export async function readImage(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error' })
    const { width, height } = await image.metadata()
    if (width * height > MAX_IMAGE_PIXELS) throw new ExtractionError('bomb')
    return await toPng(image.rotate())
  } catch (error) {
    if (error instanceof ExtractionError) throw error
    const message = error instanceof Error ? error.message : ''
    const reason = /pixel limit/i.test(message) ? 'bomb' : /unsupported/i.test(message) ? 'unsupported' : 'corrupt'
    throw new ExtractionError(reason, { cause: error })
  }
}

function toPng(image: Sharp): Promise<Uint8Array> {
  return image
    .flatten({ background: 'white' })
    .resize({ width: MAX_IMAGE_SIDE, height: MAX_IMAGE_SIDE, fit: 'inside', withoutEnlargement: true })
    .grayscale()
    .png({ compressionLevel: 3 })
    .toBuffer()
}
