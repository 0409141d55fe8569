/**
 * Entry of the process that decodes images. Node runs it as it stands: only packages, types and `./x.ts` may be
 * imported. Each picture's size is read from its header and judged before a pixel is decoded.
 */
import sharp, { type Sharp } from 'sharp'
import { MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE, MIN_IMAGE_SIDE } from '../../contract/limits.ts'
import { decodeHeic } from './heic.ts'
import { MediaError } from './media-error.ts'
import type { ImageTask, PreparedImage } from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'

const JPEG_QUALITY = 85
const FEW_COLOURS = 256

type Pixels = { data: Buffer; info: { width: number; height: number; channels: 1 | 2 | 3 | 4 } }

// Nothing but what is named here is decoded, whatever a file pretends to be; and nothing is kept between files.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`),
})
sharp.cache(false)
sharp.concurrency(1)

serveDecoder<ImageTask, PreparedImage>('image', async (task) => {
  if (task.kind === 'rgb') return await encode({ data: asBuffer(task.bytes), info: { ...task, channels: 3 } })
  return await encode(await pixelsOf(await open(task.kind, asBuffer(task.bytes))))
})

async function open(kind: Exclude<ImageTask['kind'], 'rgb'>, bytes: Buffer): Promise<Sharp> {
  if (kind === 'heic') {
    const { data, ...info } = await decodeHeic(bytes, assertImageSize)
    return sharp(data, { raw: { ...info, channels: 4 } })
  }
  const header = await sharp(bytes, { limitInputPixels: false }).metadata()
  if (header.format !== (kind === 'avif' ? 'heif' : kind)) throw new Error(`${kind} turned out to be ${header.format}`)
  assertImageSize(header)
  return sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', autoOrient: true })
}

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

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** @throws MediaError `too-small` or `too-large`, by the sizes that a header names. */
function assertImageSize({ width, height }: { width: number; height: number }): void {
  if (width < MIN_IMAGE_SIDE || height < MIN_IMAGE_SIDE) {
    const least = `${MIN_IMAGE_SIDE} x ${MIN_IMAGE_SIDE}`
    throw new MediaError('too-small', `The image is ${width} x ${height} pixels; the least is ${least}.`)
  }
  if (width * height > MAX_IMAGE_PIXELS) {
    const most = `${MAX_IMAGE_PIXELS / 1e6} megapixels`
    throw new MediaError('too-large', `The image is ${width} x ${height} pixels; the most is ${most}.`)
  }
}
