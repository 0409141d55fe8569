// Entry of the processes that prepare images for models, read those of callers and engines, and write those that go
// out. Node runs it unbundled. The size in a picture's header is judged before a pixel is decoded.
import decode from 'heic-decode'
import sharp, { type Sharp } from 'sharp'
import {
  MAX_EDIT_PIXELS,
  MAX_IMAGE_PIXELS,
  MAX_IMAGE_SIDE,
  MIN_EDIT_PIXELS,
  MIN_IMAGE_SIDE,
} from '../../contract/limits.ts'
import { MediaError } from './media-error.ts'
import type { ImageEditTask, ImageFile, ImageTask, PreparedImage } from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'
import type { ImageKind } from './sniff.ts'

const JPEG_QUALITY = 85
const FEW_COLOURS = 256
const QUALITY = { input: 95, output: 90 }
const CLEAR = 128
const MAX_SIDE = 16_383

// Nothing but what is named here is decoded, whatever a file pretends to be; and nothing is kept between files.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`),
})
sharp.cache(false)
sharp.concurrency(1)

serveDecoder<ImageTask | ImageEditTask, PreparedImage | ImageFile>('image', (task) =>
  'do' in task ? edit(task) : prepare(task),
)

type Size = { width: number; height: number }
type Bounds = { min: number; max: number }
type Pixels = { data: Buffer; info: { width: number; height: number; channels: 1 | 2 | 3 | 4 } }

async function prepare(task: ImageTask): Promise<PreparedImage> {
  const { bytes } = task
  if (task.kind === 'rgb') {
    return await encode({
      data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      info: { ...task, channels: 3 },
    })
  }
  return await encode(await pixelsOf(await openImage(task.kind, bytes, assertImageSize)))
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

function assertImageSize({ width, height }: Size): void {
  if (width < MIN_IMAGE_SIDE || height < MIN_IMAGE_SIDE) {
    const min = `${MIN_IMAGE_SIDE} x ${MIN_IMAGE_SIDE}`
    throw new MediaError('too-small', `The image is ${width} x ${height} pixels. The minimum is ${min}.`)
  }
  if (width * height > MAX_IMAGE_PIXELS) {
    const max = `${MAX_IMAGE_PIXELS / 1e6} megapixels`
    throw new MediaError('too-large', `The image is ${width} x ${height} pixels. The maximum is ${max}.`)
  }
}

async function edit(task: ImageEditTask): Promise<ImageFile> {
  if (task.do === 'black') return black(task)
  if (task.do === 'open') return asInput(task.kind, await open(task, { min: MIN_EDIT_PIXELS, max: MAX_EDIT_PIXELS }))
  const image = await open(task, { min: 1, max: MAX_IMAGE_PIXELS })
  return asOutput(task.size ? image.resize({ ...task.size, fit: 'fill' }) : image, task.format, task.description)
}

async function open({ kind, bytes }: { kind: ImageKind; bytes: Uint8Array }, bounds: Bounds): Promise<Sharp> {
  const image = await openImage(kind, bytes, (size) => assertSize(size, bounds))
  // Pixels of a HEIC file are RGBA already.
  return kind === 'heic' ? image : image.toColourspace('srgb')
}

function assertSize({ width, height }: Size, { min, max }: Bounds): void {
  const pixels = width * height
  const is = `The image is ${width} x ${height} pixels`
  if (pixels < min) throw new MediaError('too-small', `${is}. The minimum is ${min} pixels, such as 256 x 256.`)
  if (pixels > max) throw new MediaError('too-large', `${is}. The maximum is ${(max / 1e6).toFixed(1)} megapixels.`)
  if (Math.max(width, height) > MAX_SIDE) {
    throw new MediaError('too-large', `${is}. The maximum for a side is ${MAX_SIDE} pixels.`)
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

// Opens a file of a known kind, upright. `assertSize` judges the size that its header names before a pixel is decoded.
async function openImage(kind: ImageKind, bytes: Uint8Array, assertSize: (size: Size) => void): Promise<Sharp> {
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

// Decodes the first picture of a HEIC file to RGBA, upright. The library is libheif compiled to WebAssembly: a hostile
// file reaches only its memory.
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
