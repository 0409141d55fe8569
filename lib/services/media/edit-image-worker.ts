/**
 * Entry of the process that reads pictures of callers and engines, and writes those that go out. Node runs it as it
 * stands: only packages, types and relative `.ts` files may be imported. Each picture's size is read from its header
 * and judged before a pixel is decoded.
 */
import sharp, { type Sharp } from 'sharp'
import { MAX_EDIT_PIXELS, MAX_IMAGE_PIXELS, MIN_EDIT_PIXELS } from '../../contract/limits.ts'
import { MediaError } from './media-error.ts'
import type { ImageEditTask, ImageFile } from './media-tasks.ts'
import { openImage } from './open-image.ts'
import { serveDecoder } from './serve-decoder.ts'
import type { ImageKind } from './sniff.ts'

const QUALITY = { input: 95, output: 90 }
const CLEAR = 128
const MAX_SIDE = 16_383

type Bounds = { min: number; max: number }

serveDecoder<ImageEditTask, ImageFile>('image', async (task) => {
  if (task.do === 'black') return black(task)
  if (task.do === 'open') return asInput(task.kind, await open(task, { min: MIN_EDIT_PIXELS, max: MAX_EDIT_PIXELS }))
  const image = await open(task, { min: 1, max: MAX_IMAGE_PIXELS })
  return asOutput(task.size ? image.resize({ ...task.size, fit: 'fill' }) : image, task.format, task.description)
})

async function open({ kind, bytes }: { kind: ImageKind; bytes: Uint8Array }, bounds: Bounds): Promise<Sharp> {
  const image = await openImage(kind, bytes, (size) => assertSize(size, bounds))
  // Pixels of a HEIC file are RGBA already.
  return kind === 'heic' ? image : image.toColourspace('srgb')
}

function assertSize({ width, height }: { width: number; height: number }, { min, max }: Bounds): void {
  const pixels = width * height
  const is = `The image is ${width} x ${height} pixels`
  if (pixels < min) throw new MediaError('too-small', `${is}; the least is ${min} pixels, such as 256 x 256.`)
  if (pixels > max) throw new MediaError('too-large', `${is}; the most is ${(max / 1e6).toFixed(1)} megapixels.`)
  if (Math.max(width, height) > MAX_SIDE) {
    throw new MediaError('too-large', `${is}; the most of a side is ${MAX_SIDE} pixels.`)
  }
}

async function asInput(kind: ImageKind, image: Sharp): Promise<ImageFile> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const clearShare = shareOfClear(data, channels)
  const raw = sharp(data, { raw: { width, height, channels } })
  const hasAlpha = channels === 2 || channels === 4
  // What was photographed stays small; what was drawn, or has holes, stays exact.
  const isExact = clearShare > 0 || kind === 'png' || kind === 'gif'
  const flat = clearShare === 0 && hasAlpha ? raw.removeAlpha() : raw
  const bytes = isExact
    ? await flat.png({ compressionLevel: 6 }).toBuffer()
    : await flat.jpeg({ quality: QUALITY.input, chromaSubsampling: '4:4:4' }).toBuffer()
  return { bytes, mime: isExact ? 'image/png' : 'image/jpeg', width, height, clearShare }
}

async function asOutput(image: Sharp, format: 'jpeg' | 'png' | 'webp', description?: string): Promise<ImageFile> {
  const flat = format === 'jpeg' ? image.flatten({ background: '#ffffff' }) : image
  const described = description === undefined ? flat : flat.withExif({ IFD0: { ImageDescription: description } })
  const written =
    format === 'png' ? described.png({ compressionLevel: 6 }) : described[format]({ quality: QUALITY.output })
  const { data, info } = await written.toBuffer({ resolveWithObject: true })
  return { bytes: data, mime: `image/${format}`, width: info.width, height: info.height, clearShare: 0 }
}

function black({ width, height, format }: { width: number; height: number; format: 'jpeg' | 'png' | 'webp' }) {
  return asOutput(sharp({ create: { width, height, channels: 3, background: '#000000' } }), format)
}

function shareOfClear(data: Buffer, channels: number): number {
  if (channels !== 2 && channels !== 4) return 0
  let clear = 0
  for (let at = channels - 1; at < data.length; at += channels) if ((data[at] as number) < CLEAR) clear++
  return clear / (data.length / channels)
}
