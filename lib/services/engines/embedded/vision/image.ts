import sharp, { type Sharp } from 'sharp'
import { EngineError } from '../../engine.ts'

const MAX_PIXELS = 50_000_000
// Text is read best at twice the size of a screen's. More pixels cost time and read no better.
const ENLARGEMENT = 2
const MAX_PAGE_PIXELS = 8_000_000
const MAX_SCENE_PIXELS = 1_000_000
const SKEW_SIDE = 600
export const DETECTOR_SIDE = 300

const LIGHT = 0.6

export type Page = { pixels: Buffer; width: number; height: number }

export type InputImage = {
  width: number
  height: number
  page: Page
  thumbnail: Buffer
}

sharp.cache(false)
sharp.concurrency(1)
// Whatever else the library could open, or be made to open, stays shut.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadPngSource',
  ],
})

export async function openImage(image: Uint8Array): Promise<InputImage> {
  try {
    const opened = () => sharp(image, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' }).autoOrient()
    const { autoOrient, hasAlpha } = await opened().metadata()
    const { width, height } = autoOrient
    const background = hasAlpha ? await backgroundOf(opened()) : 'white'
    const flat = () => opened().flatten({ background }).toColourspace('srgb')
    const page = await straightPage(flat(), enlargementOf(width, height), background)
    const square = flat().resize(DETECTOR_SIDE, DETECTOR_SIDE, { fit: 'fill' })
    return { width, height, page, thumbnail: await square.removeAlpha().raw().toBuffer() }
  } catch (cause) {
    throw unreadable(cause)
  }
}

/** Opens an image in colors, three bytes a pixel, with no side longer than `maxSide`. @throws EngineError `invalid-request` */
export async function openColors(image: Uint8Array, maxSide: number): Promise<Page> {
  try {
    const { data, info } = await sharp(image, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
      .autoOrient()
      .flatten({ background: 'white' })
      .toColourspace('srgb')
      .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { pixels: data, width: info.width, height: info.height }
  } catch (cause) {
    throw unreadable(cause)
  }
}

const unreadable = (cause: unknown): EngineError =>
  new EngineError('invalid-request', 'The image cannot be read: it is damaged, too large or of another format.', {
    cause,
  })

export async function upsideDown(page: Page): Promise<Page> {
  return rawPage(sharpOf(page).rotate(180))
}

export async function negative(page: Page): Promise<Page> {
  const factor = Math.min(1, Math.sqrt(MAX_SCENE_PIXELS / (page.width * page.height)))
  return rawPage(
    sharpOf(page)
      .resize(sizeOf(page.width, page.height, factor))
      .negate(),
  )
}

function enlargementOf(width: number, height: number): number {
  return Math.min(ENLARGEMENT, Math.sqrt(MAX_PAGE_PIXELS / (width * height)))
}

async function straightPage(image: Sharp, factor: number, background: string): Promise<Page> {
  const { width, height } = await image.metadata().then(({ autoOrient }) => autoOrient)
  const page = await rawPage(image.greyscale().resize(sizeOf(width, height, factor)))
  const small = await rawPage(sharpOf(page).resize(SKEW_SIDE, SKEW_SIDE, { fit: 'inside', withoutEnlargement: true }))
  const degrees = skewOf(small.pixels, small.width, small.height)
  return degrees === 0 ? page : rawPage(sharpOf(page).rotate(-degrees, { background }))
}

async function backgroundOf(image: Sharp): Promise<'white' | 'black'> {
  const onBlack = await image.clone().flatten({ background: 'black' }).greyscale().stats()
  const alpha = (await image.clone().extractChannel('alpha').stats()).channels[0]!.mean
  return onBlack.channels[0]!.mean > LIGHT * alpha ? 'black' : 'white'
}

function sizeOf(width: number, height: number, factor: number) {
  const side = (length: number) => Math.max(1, Math.round(length * factor))
  return { width: side(width), height: side(height), fit: 'fill' as const }
}

function sharpOf({ pixels, width, height }: Page): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 1 } })
}

async function rawPage(image: Sharp): Promise<Page> {
  const { data, info } = await image.extractChannel(0).raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

const MAX_DEGREES = 15
const STEP_DEGREES = 0.5
const FINE_STEP_DEGREES = 0.1
const MIN_DEGREES = 0.3
const MIN_GAIN = 1.3
const MIN_PEAK = 1.6
const EDGE = 40

/**
 * Measures by how many degrees the lines of a page lean, clockwise; 0 where they lie straight or there are none. At the
 * right angle the edges of the letters fall into few rows, with empty ones between the lines.
 *
 * @param page grey values, row by row. A few hundred pixels wide is enough; the time grows with their number.
 */
export function skewOf(page: Uint8Array, width: number, height: number): number {
  const points = edgesOf(page, width, height)
  if (points.length === 0) return 0
  const scoresAt = (angles: number[]) =>
    angles.map((degrees) => ({ degrees, score: sharpness(points, degrees, width, height) })).sort(byScore)

  const coarse = scoresAt(range(-MAX_DEGREES, MAX_DEGREES, STEP_DEGREES))
  const { degrees: about } = coarse[0]!
  const { degrees, score } = scoresAt(range(about - STEP_DEGREES, about + STEP_DEGREES, FINE_STEP_DEGREES))[0]!
  const isPeak = score >= coarse[coarse.length >> 1]!.score * MIN_PEAK
  const isBetter = score >= sharpness(points, 0, width, height) * MIN_GAIN
  return isPeak && isBetter && Math.abs(degrees) >= MIN_DEGREES && Math.abs(degrees) < MAX_DEGREES ? degrees : 0
}

type Score = { degrees: number; score: number }

const byScore = (a: Score, b: Score): number => b.score - a.score

type Point = { x: number; y: number }

function edgesOf(page: Uint8Array, width: number, height: number): Point[] {
  const points: Point[] = []
  for (let y = 0; y + 1 < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      if (Math.abs(page[at]! - page[at + width]!) > EDGE) points.push({ x, y })
    }
  }
  return points
}

function sharpness(points: Point[], degrees: number, width: number, height: number): number {
  const angle = (degrees * Math.PI) / 180
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const rows = new Float64Array(2 * (width + height) + 1)
  for (const { x, y } of points) rows[Math.round(y * cosine - x * sine) + width + height]! += 1
  let sum = 0
  for (let row = 1; row < rows.length; row++) sum += (rows[row]! - rows[row - 1]!) ** 2
  return sum
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}
