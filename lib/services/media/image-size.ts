import { MAX_IMAGE_PIXELS, MIN_IMAGE_SIDE } from '../../contract/limits.ts'
import { MediaError } from './media-error.ts'

/** @throws MediaError `too-small` or `too-large`, by the sizes that a header names. */
export function assertImageSize({ width, height }: { width: number; height: number }): void {
  if (width < MIN_IMAGE_SIDE || height < MIN_IMAGE_SIDE) {
    const least = `${MIN_IMAGE_SIDE} x ${MIN_IMAGE_SIDE}`
    throw new MediaError('too-small', `The image is ${width} x ${height} pixels; the least is ${least}.`)
  }
  if (width * height > MAX_IMAGE_PIXELS) {
    const most = `${MAX_IMAGE_PIXELS / 1e6} megapixels`
    throw new MediaError('too-large', `The image is ${width} x ${height} pixels; the most is ${most}.`)
  }
}
