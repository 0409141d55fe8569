/** Node runs it as it stands. */
import sharp, { type OverlayOptions } from 'sharp'
import type { Pixels } from './upscaler.ts'

/** Scales at which colours spread into a hole, the widest first. */
const SCALES = [128, 32, 8, 2]

/**
 * Replaces what is hidden under the clear parts of a picture by the colours around them. Editors leave black there, or
 * what was erased; a network that blends along the edge of a hole would show it.
 */
export async function spreadColours({ data, width, height }: Pixels, mask: Uint8Array): Promise<Uint8Array> {
  const colours = sharp(data, { raw: { width, height, channels: 3 } })
  const kept = await colours
    .joinChannel(Buffer.from(mask), { raw: { width, height, channels: 1 } })
    .raw()
    .toBuffer()
  const scaled = (to: { width: number; height: number }) =>
    sharp(kept, { raw: { width, height, channels: 4 } })
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
    .composite([...layers, { input: kept, raw: { width, height, channels: 4 } }])
    .removeAlpha()
    .raw()
    .toBuffer()
}
