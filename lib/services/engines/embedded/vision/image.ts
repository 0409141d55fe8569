import sharp, { type Sharp } from 'sharp'
import { EngineError } from '../../engine.ts'
import { skewOf } from './skew.ts'

/** Nothing larger is decoded. What comes here was prepared before (lib/services/media); this is for what was not. */
const MAX_PIXELS = 50_000_000
/** Text is read best at twice the size of a screen's. More pixels cost time and read no better. */
const ENLARGEMENT = 2
const MAX_PAGE_PIXELS = 8_000_000
/** Words in a scene are large; in more pixels its texture is taken for letters. */
const MAX_SCENE_PIXELS = 1_000_000
/** Enough to see how lines lean. */
const SKEW_SIDE = 600
/** What the detector's network sees; it would scale anything to this. */
export const DETECTOR_SIDE = 300

/** A brightness of the visible part above this is light: its dark side is the background. 0 to 1. */
const LIGHT = 0.6

/** Grey values, row by row. */
export type Page = { pixels: Buffer; width: number; height: number }

export type Picture = {
  width: number
  height: number
  /** For reading text: enlarged, upright, grey. */
  page: Page
  /** RGB, `DETECTOR_SIDE` squared, whatever the picture's shape. */
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

/** @throws EngineError `invalid-request` when this is no picture that can be read, broken or too large. */
export async function openPicture(image: Uint8Array): Promise<Picture> {
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
    throw new EngineError(
      'invalid-request',
      'The image cannot be read: it is damaged, too large or of another format.',
      {
        cause,
      },
    )
  }
}

/** Turned by half. */
export async function upsideDown(page: Page): Promise<Page> {
  return rawPage(sharpOf(page).rotate(180))
}

/** Light and dark exchanged, and no larger than signs and titles need: for light words on coloured surfaces. */
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

/** Against what a picture with see-through parts is looked at: the side that its visible parts are not. */
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
