// Entry of the child process that enlarges pictures. Node runs it unbundled.
import { readFile } from 'node:fs/promises'
import { Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { EngineError } from '../../engine.ts'
import { serveTasks } from '../task-child.ts'
import type { EnlargeInput, RetouchedOutput } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { type KerasModel, onnxOfLayers } from '../weights/tfjs-to-onnx.ts'
import { type Pixels, pixelsOf } from './pixels.ts'

// Four times as many pixels a side, at about a megapixel in eight seconds, stay within a request's time.
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
    if (signal.aborted) throw new EngineError('failed', 'The request was cancelled.')
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

// Pixels of a tile, and around it: no pixel's result depends on what is farther away.
const TILE = 160
const SEEN = 12

type Enlarger = (pixels: Pixels, signal: AbortSignal) => Promise<Pixels>

async function loadEnlarger(paths: { model: string; weights: string }, factor: number): Promise<Enlarger> {
  const model = JSON.parse(await readFile(paths.model, 'utf8')) as KerasModel
  const session = await openSession(onnxOfLayers(model, await readFile(paths.weights)))
  const input = session.inputNames[0] as string
  const output = session.outputNames[0] as string

  return async (pixels, signal) => {
    const { width, height } = pixels
    const large = {
      data: new Uint8Array(width * height * factor * factor * 3),
      width: width * factor,
      height: height * factor,
    }
    for (let top = 0; top < height; top += TILE) {
      for (let left = 0; left < width; left += TILE) {
        signal.throwIfAborted()
        const tile = tileAt(pixels, left, top)
        const made = await session.run({
          [input]: new Tensor('float32', planes(pixels, tile), [1, 3, tile.height, tile.width]),
        })
        place(made[output]?.data as Float32Array, tile, factor, large)
      }
    }
    return large
  }
}

type Tile = {
  left: number
  top: number
  width: number
  height: number
  innerLeft: number
  innerTop: number
  innerWidth: number
  innerHeight: number
}

function tileAt({ width, height }: Pixels, tileLeft: number, tileTop: number): Tile {
  const left = Math.max(0, tileLeft - SEEN)
  const top = Math.max(0, tileTop - SEEN)
  const innerWidth = Math.min(TILE, width - tileLeft)
  const innerHeight = Math.min(TILE, height - tileTop)
  return {
    left,
    top,
    width: Math.min(width, tileLeft + innerWidth + SEEN) - left,
    height: Math.min(height, tileTop + innerHeight + SEEN) - top,
    innerLeft: tileLeft - left,
    innerTop: tileTop - top,
    innerWidth,
    innerHeight,
  }
}

function planes({ data, width }: Pixels, tile: Tile): Float32Array {
  const area = tile.width * tile.height
  const values = new Float32Array(3 * area)
  for (let y = 0, at = 0; y < tile.height; y++) {
    let from = ((tile.top + y) * width + tile.left) * 3
    for (let x = 0; x < tile.width; x++, at++) {
      values[at] = data[from++] as number
      values[area + at] = data[from++] as number
      values[2 * area + at] = data[from++] as number
    }
  }
  return values
}

function place(made: Float32Array, tile: Tile, factor: number, large: Pixels): void {
  const madeWidth = tile.width * factor
  const area = madeWidth * tile.height * factor
  if (made.length !== 3 * area) throw new Error('the network made another size')
  for (let y = 0; y < tile.innerHeight * factor; y++) {
    let from = (tile.innerTop * factor + y) * madeWidth + tile.innerLeft * factor
    let to = (((tile.top + tile.innerTop) * factor + y) * large.width + (tile.left + tile.innerLeft) * factor) * 3
    for (let x = 0; x < tile.innerWidth * factor; x++, from++) {
      for (let channel = 0; channel < 3; channel++) large.data[to++] = byteOf(made[channel * area + from] as number)
    }
  }
}

const byteOf = (value: number): number => (value <= 0 ? 0 : value >= 255 ? 255 : Math.round(value))
