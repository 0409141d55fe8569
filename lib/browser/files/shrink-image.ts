import { FileRefused } from '@/lib/browser/files/limits'
import { MAX_FILE_BYTES, MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE, MIN_IMAGE_SIDE } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

const WEBP_QUALITY = 0.85

type PixelSize = { width: number; height: number }

type ShrunkImage = { blob: Blob; mediaType: string; size?: PixelSize; isShrunk: boolean }

export function fitWithin({ width, height }: PixelSize, longest: number): PixelSize {
  const scale = Math.min(1, longest / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export function sizeRefusal({ width, height }: PixelSize): string | undefined {
  if (width < MIN_IMAGE_SIDE || height < MIN_IMAGE_SIDE) {
    return t('This image is {width} × {height} pixels. Use one with at least {least} pixels per side.', {
      ...{ width, height },
      least: MIN_IMAGE_SIDE,
    })
  }
  if (width * height > MAX_IMAGE_PIXELS) {
    return t('This image exceeds {millions} megapixels. Use a smaller one.', { millions: MAX_IMAGE_PIXELS / 1e6 })
  }
  return undefined
}

/**
 * Shrinks an image to what models use: 2,048 pixels on its longer side, as WebP. What is small enough goes as it is,
 * and so does what this browser cannot read (HEIC in most).
 * @throws FileRefused when it is too small or too large.
 */
export async function shrinkImage(blob: Blob, mediaType: string, keepsOriginal: boolean): Promise<ShrunkImage> {
  const bitmap = await createImageBitmap(blob).catch(() => undefined)
  if (!bitmap) {
    if (mediaType === 'image/heic' || mediaType === 'image/avif') return { blob, mediaType, isShrunk: false }
    throw new FileRefused(t('This image cannot be opened. It may be damaged.'))
  }
  try {
    const from = { width: bitmap.width, height: bitmap.height }
    const fault = sizeRefusal(from)
    if (fault) throw new FileRefused(fault)
    const size = fitWithin(from, MAX_IMAGE_SIDE)
    if (keepsOriginal || size.width === from.width) return { blob, mediaType, size: from, isShrunk: false }
    // A very long and thin picture would be thinner than models take.
    if (sizeRefusal(size)) return { blob, mediaType, size: from, isShrunk: false }
    const canvas = new OffscreenCanvas(size.width, size.height)
    const context = canvas.getContext('2d')
    if (!context) return { blob, mediaType, size: from, isShrunk: false }
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, 0, 0, size.width, size.height)
    const small = await encode(canvas)
    return small.size < blob.size
      ? { blob: small, mediaType: small.type, size, isShrunk: true }
      : { blob, mediaType, size: from, isShrunk: false }
  } finally {
    bitmap.close()
  }
}

/** A browser that cannot write WebP says so by another type, and writes JPEG then. */
async function encode(canvas: OffscreenCanvas): Promise<Blob> {
  const webp = await canvas.convertToBlob({ type: 'image/webp', quality: WEBP_QUALITY })
  return webp.type === 'image/webp' ? webp : canvas.convertToBlob({ type: 'image/jpeg', quality: WEBP_QUALITY })
}

const EDGE_PX = 512

/**
 * Crops the middle square, without the file's metadata.
 * @throws RangeError when it is too large; DOMException when the browser cannot read it.
 */
export async function shrinkPortrait(file: Blob, type: 'image/webp' | 'image/png' = 'image/webp'): Promise<Blob> {
  if (file.size > MAX_FILE_BYTES) throw new RangeError(t('The image is larger than 25 MB.'))
  const image = await createImageBitmap(file)
  try {
    const side = Math.min(image.width, image.height)
    const edge = Math.min(EDGE_PX, side)
    const canvas = Object.assign(document.createElement('canvas'), { width: edge, height: edge })
    const pen = canvas.getContext('2d')
    if (!pen) throw new DOMException('No canvas', 'NotSupportedError')
    pen.imageSmoothingQuality = 'high'
    // Tall pictures of people have the face above the middle.
    const top = (image.height - side) / 4
    pen.drawImage(image, (image.width - side) / 2, top, side, side, 0, 0, edge, edge)
    return await encodeCanvas(canvas, type)
  } finally {
    image.close()
  }
}

function encodeCanvas(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new DOMException('No picture', 'EncodingError'))),
      type,
      WEBP_QUALITY,
    )
  })
}
