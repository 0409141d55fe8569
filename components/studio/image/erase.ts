import { keepFile } from '@/components/studio/store'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'

/** A place in the picture. Pixels. */
export type Dot = { x: number; y: number }
/** A line that the brush drew. `width` in pixels. */
export type Stroke = { width: number; dots: readonly Dot[] }

const WEBP_QUALITY = 0.95
/** What an image is looked at in: small, since a hole shows in the average of its surroundings too. */
const LOOK_PIXELS = 256
const OPAQUE = 250

/** Tells whether parts of an image are transparent already, so that there is something to fill. */
export async function hasTransparency(image: Blob): Promise<boolean> {
  const bitmap = await createImageBitmap(image, { resizeWidth: LOOK_PIXELS, resizeHeight: LOOK_PIXELS })
  const context = new OffscreenCanvas(LOOK_PIXELS, LOOK_PIXELS).getContext('2d')
  if (!context) return false
  context.drawImage(bitmap, 0, 0)
  bitmap.close()
  const { data } = context.getImageData(0, 0, LOOK_PIXELS, LOOK_PIXELS)
  for (let at = 3; at < data.length; at += 4) if (data[at]! < OPAQUE) return true
  return false
}

/** Draws a picture with its erased parts see-through. */
export function drawErased(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  picture: ImageBitmap,
  strokes: readonly Stroke[],
): void {
  context.globalCompositeOperation = 'copy'
  context.drawImage(picture, 0, 0)
  context.globalCompositeOperation = 'destination-out'
  context.lineCap = 'round'
  context.lineJoin = 'round'
  for (const { width, dots } of strokes) {
    const [first, ...rest] = dots
    if (!first) continue
    // A line that goes nowhere is not drawn: where it begins there is a dot.
    context.beginPath()
    context.arc(first.x, first.y, width / 2, 0, 2 * Math.PI)
    context.fill()
    context.lineWidth = width
    context.beginPath()
    context.moveTo(first.x, first.y)
    for (const { x, y } of rest) context.lineTo(x, y)
    context.stroke()
  }
  context.globalCompositeOperation = 'source-over'
}

/**
 * The erased picture as a file of this browser: PNG, or WebP where that would be more than the service takes.
 *
 * @throws whatever the browser throws that cannot write or keep it.
 */
export async function erasedFile(
  picture: ImageBitmap,
  strokes: readonly Stroke[],
  { name }: CreationFile,
): Promise<CreationFile> {
  const { width, height } = picture
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new DOMException('No canvas', 'NotSupportedError')
  drawErased(context, picture, strokes)
  const png = await canvas.convertToBlob({ type: 'image/png' })
  const blob =
    png.size <= MAX_FILE_BYTES ? png : await canvas.convertToBlob({ type: 'image/webp', quality: WEBP_QUALITY })
  return await keepFile(blob, { name, width, height })
}
