import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

const EDGE_PX = 512
const WEBP_QUALITY = 0.85

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
