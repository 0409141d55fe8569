/** Entry of the child process that enlarges pictures. Node runs it as it stands. */
import sharp from 'sharp'
import { EngineError } from '../../engine.ts'
import { serveTasks } from '../task-child.ts'
import type { EnlargeInput, RetouchedOutput } from '../task-protocol.ts'
import { pixelsOf } from './pixels.ts'
import { type Enlarger, loadEnlarger } from './upscaler.ts'

/** Four times as many pixels a side, at about a megapixel in eight seconds, stay within a request's time. */
const MAX_PIXELS = 4_200_000

serveTasks<EnlargeInput, RetouchedOutput>(async (paths) => {
  const enlargers = new Map<number, Promise<Enlarger>>()
  const enlarger = (factor: number) => {
    const [model, weights] = [paths[`x${factor}.json`], paths[`x${factor}.bin`]]
    if (model === undefined || weights === undefined) throw new Error('the parent did not say where the model is')
    const known = enlargers.get(factor) ?? loadEnlarger({ model, weights }, factor)
    enlargers.set(factor, known)
    return known
  }
  await enlarger(2)
  return async ({ bytes, factor }, signal) => {
    const { rgb, alpha } = await pixelsOf(bytes, MAX_PIXELS)
    const enlarge = await enlarger(factor)
    if (signal.aborted) throw new EngineError('failed', 'The request was given up.')
    const { data, width, height } = await enlarge(rgb, signal)
    const large = sharp(data, { raw: { width, height, channels: 3 } })
    if (alpha) {
      // The network knows colours only; how clear a pixel is, is interpolated.
      const grown = sharp(alpha, { raw: { width: rgb.width, height: rgb.height, channels: 1 } })
      const mask = await grown
        .resize(width, height, { fit: 'fill', kernel: 'cubic' })
        .extractChannel(0)
        .raw()
        .toBuffer()
      large.joinChannel(mask, { raw: { width, height, channels: 1 } })
    }
    return { bytes: await large.png({ compressionLevel: 1 }).toBuffer() }
  }
})
