/** Opens the pictures that the embedded engines change. Node runs it as it stands. */
import sharp from 'sharp'
import { EngineError } from '../../engine.ts'
import type { Pixels } from './upscaler.ts'

sharp.cache(false)
sharp.concurrency(1)
// Whatever else the library could open, or be made to open, stays shut.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] })

/** @throws EngineError `invalid-request` when it has more pixels than this engine takes. */
export async function pixelsOf(bytes: Uint8Array, mostPixels: number): Promise<{ rgb: Pixels; alpha?: Uint8Array }> {
  const image = () => sharp(bytes, { failOn: 'error' }).toColourspace('srgb')
  const { width, height, hasAlpha } = await image().metadata()
  if (width * height > mostPixels) {
    const most = (mostPixels / 1e6).toFixed(1)
    throw new EngineError('invalid-request', `The embedded model takes pictures of at most ${most} megapixels.`)
  }
  const data = await image().removeAlpha().raw().toBuffer()
  const alpha = hasAlpha ? await image().extractChannel('alpha').raw().toBuffer() : undefined
  return { rgb: { data, width, height }, alpha }
}
