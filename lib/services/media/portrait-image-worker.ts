// Entry of the process that makes the pictures of characters. Node runs it unbundled. Its input was made by us: drawings
// of ours, and pictures that were decoded before.
import sharp from 'sharp'
import { MediaError } from './media-error.ts'
import {
  CARD_PIXELS,
  IMAGE_HEIGHT,
  IMAGE_WIDTH,
  type ImageJob,
  MAX_IMAGE_BYTES,
  PORTRAIT_PIXELS,
} from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'

const DRAWING_UNITS = 240
const QUALITIES = [82, 65, 45, 25]
const PORTRAIT_QUALITY = 82

sharp.cache(false)
sharp.concurrency(1)

serveDecoder<ImageJob, Uint8Array>('picture', async ({ kind, bytes }) => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'card') return await square(source, CARD_PIXELS).png({ compressionLevel: 9 }).toBuffer()
  if (kind === 'portrait') return await square(source, PORTRAIT_PIXELS).webp({ quality: PORTRAIT_QUALITY }).toBuffer()
  return await encodePortrait(source)
})

const square = (source: Buffer, pixels: number) =>
  sharp(source, { density: (72 * pixels) / DRAWING_UNITS }).resize(pixels, pixels, { fit: 'cover', position: 'top' })

async function encodePortrait(source: Buffer): Promise<Uint8Array> {
  const small = sharp(source).resize(IMAGE_WIDTH, IMAGE_HEIGHT, { fit: 'inside', withoutEnlargement: true })
  for (const quality of QUALITIES) {
    const made = await small.clone().webp({ quality }).toBuffer()
    if (made.length <= MAX_IMAGE_BYTES) return made
  }
  throw new MediaError('too-large', 'The image cannot be made small enough. Send a simpler one.')
}
