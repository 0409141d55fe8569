import sharp, { type OverlayOptions } from 'sharp'
import { EngineError } from '../../engine.ts'

export type Pixels = { data: Uint8Array; width: number; height: number }

const SCALES = [128, 32, 8, 2]

/**
 * Replaces the hidden colours under transparent parts by the colours around them. Editors leave black there, or what
 * was erased; a network that blends along the edge of a hole would show it.
 */
export async function spreadColours({ data, width, height }: Pixels, mask: Uint8Array): Promise<Uint8Array> {
  const colours = sharp(data, { raw: { width, height, channels: 3 } })
  const decoded = await colours
    .joinChannel(Buffer.from(mask), { raw: { width, height, channels: 1 } })
    .raw()
    .toBuffer()
  const scaled = (to: { width: number; height: number }) =>
    sharp(decoded, { raw: { width, height, channels: 4 } })
      .resize({ ...to, fit: 'fill', kernel: 'linear' })
      .raw()
      .toBuffer()
  const mean = await scaled({ width: 1, height: 1 })
  const layers: OverlayOptions[] = []
  for (const scale of SCALES) {
    const small = { width: Math.ceil(width / scale), height: Math.ceil(height / scale) }
    const large = await sharp(await scaled(small), { raw: { ...small, channels: 4 } })
      .resize({ width, height, fit: 'fill', kernel: 'linear' })
      .raw()
      .toBuffer()
    layers.push({ input: large, raw: { width, height, channels: 4 } })
  }
  const [r = 0, g = 0, b = 0] = mean
  return sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
    .composite([...layers, { input: decoded, raw: { width, height, channels: 4 } }])
    .removeAlpha()
    .raw()
    .toBuffer()
}

sharp.cache(false)
sharp.concurrency(1)
// Whatever else the library could open, or be made to open, stays shut.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] })

/** @throws EngineError `invalid-request` when it has more pixels than this engine takes. */
export async function pixelsOf(bytes: Uint8Array, maxPixels: number): Promise<{ rgb: Pixels; alpha?: Uint8Array }> {
  const image = () => sharp(bytes, { failOn: 'error' }).toColourspace('srgb')
  const { width, height, hasAlpha } = await image().metadata()
  if (width * height > maxPixels) {
    const max = (maxPixels / 1e6).toFixed(1)
    throw new EngineError('invalid-request', `The embedded model accepts images of up to ${max} megapixels.`)
  }
  const data = await image().removeAlpha().raw().toBuffer()
  const alpha = hasAlpha ? await image().extractChannel('alpha').raw().toBuffer() : undefined
  return { rgb: { data, width, height }, alpha }
}
