// Entry of the child process that fills holes in pictures. Node runs it unbundled.
import { Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { EngineError } from '../../engine.ts'
import { serveTasks } from '../task-child.ts'
import type { FillInput, RetouchedOutput } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { pixelsOf, spreadColours } from './pixels.ts'

const MAX_PIXELS = 8_400_000
const CLEAR = 128
const OPAQUE = 255
const MASK_THRESHOLD = 240
const MIN_SPREAD = 2
const SPREADS_A_SIDE = 400

serveTasks<FillInput, RetouchedOutput>(async (paths) => {
  const session = await openSession(paths['model.onnx'])
  return async ({ bytes }) => {
    const { rgb, alpha } = await pixelsOf(bytes, MAX_PIXELS)
    const mask = alpha?.map((value) => (value < CLEAR ? 0 : OPAQUE))
    if (!mask?.includes(0)) throw new EngineError('invalid-request', NO_HOLE)
    if (!mask.includes(OPAQUE)) throw new EngineError('invalid-request', NOTHING_LEFT)
    const { width, height } = rgb
    const colours = await spreadColours(rgb, mask)
    const made = await session.run({
      image: new Tensor('uint8', apart(colours, width * height), [1, 3, height, width]),
      mask: new Tensor('uint8', await widened(mask, width, height), [1, 1, height, width]),
    })
    const data = together(made.result?.data as Uint8Array, width * height)
    return {
      bytes: await sharp(data, { raw: { width, height, channels: 3 } })
        .png({ compressionLevel: 1 })
        .toBuffer(),
    }
  }
})

const NO_HOLE =
  'This model fills what is see-through, and the image has no such part. Erase what is to be replaced, and send it as PNG or WebP with transparency.'
const NOTHING_LEFT = 'The image is see-through everywhere: there is nothing to go on from.'

async function widened(mask: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const spread = Math.max(MIN_SPREAD, Math.max(width, height) / SPREADS_A_SIDE)
  const { data } = await sharp(mask, { raw: { width, height, channels: 1 } })
    .blur(spread)
    .threshold(MASK_THRESHOLD)
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return data
}

function apart(data: Uint8Array, area: number): Uint8Array {
  const planes = new Uint8Array(3 * area)
  for (let at = 0, from = 0; at < area; at++) {
    planes[at] = data[from++] as number
    planes[area + at] = data[from++] as number
    planes[2 * area + at] = data[from++] as number
  }
  return planes
}

function together(planes: Uint8Array, area: number): Uint8Array {
  if (planes.length !== 3 * area) throw new Error('the network made another size')
  const data = new Uint8Array(3 * area)
  for (let at = 0, to = 0; at < area; at++) {
    data[to++] = planes[at] as number
    data[to++] = planes[area + at] as number
    data[to++] = planes[2 * area + at] as number
  }
  return data
}
