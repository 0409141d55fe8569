/**
 * Entry of the process that decodes images. Node runs it as it stands: only packages, types and `./x.ts` may be
 * imported. Each picture's size is read from its header and judged before a pixel is decoded.
 */
import sharp, { type Sharp } from 'sharp'
import { MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE, MIN_IMAGE_SIDE } from '../../contract/limits.ts'
import { MediaError } from './media-error.ts'
import type { ImageTask, PreparedImage } from './media-tasks.ts'
import { openImage } from './open-image.ts'
import { serveDecoder } from './serve-decoder.ts'

const JPEG_QUALITY = 85
const FEW_COLOURS = 256

type Pixels = { data: Buffer; info: { width: number; height: number; channels: 1 | 2 | 3 | 4 } }

serveDecoder<ImageTask, PreparedImage>('image', async (task) => {
  const { bytes } = task
  if (task.kind === 'rgb') {
    return await encode({
      data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      info: { ...task, channels: 3 },
    })
  }
  return await encode(await pixelsOf(await openImage(task.kind, bytes, assertImageSize)))
})

async function pixelsOf(image: Sharp): Promise<Pixels> {
  return await image
    .resize({ width: MAX_IMAGE_SIDE, height: MAX_IMAGE_SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
}

async function encode({ data, info: { width, height, channels } }: Pixels): Promise<PreparedImage> {
  const image = () => sharp(data, { raw: { width, height, channels } })
  const jpeg = await image().jpeg({ quality: JPEG_QUALITY }).toBuffer()
  if (hasFewColours(data, channels)) {
    const png = await image().png({ compressionLevel: 9 }).toBuffer()
    if (png.length < jpeg.length) return { bytes: png, mime: 'image/png', width, height }
  }
  return { bytes: jpeg, mime: 'image/jpeg', width, height }
}

function hasFewColours(data: Buffer, channels: number): boolean {
  if (channels < 3) return true
  const colours = new Set<number>()
  for (let at = 0; at + 2 < data.length; at += channels) {
    colours.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0))
    if (colours.size > FEW_COLOURS) return false
  }
  return true
}

function assertImageSize({ width, height }: { width: number; height: number }): void {
  if (width < MIN_IMAGE_SIDE || height < MIN_IMAGE_SIDE) {
    const min = `${MIN_IMAGE_SIDE} x ${MIN_IMAGE_SIDE}`
    throw new MediaError('too-small', `The image is ${width} x ${height} pixels; the least is ${min}.`)
  }
  if (width * height > MAX_IMAGE_PIXELS) {
    const max = `${MAX_IMAGE_PIXELS / 1e6} megapixels`
    throw new MediaError('too-large', `The image is ${width} x ${height} pixels; the most is ${max}.`)
  }
}
