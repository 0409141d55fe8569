import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/** What a portrait is shown at, for screens that are twice as fine. */
const EDGE_PX = 512
const WEBP_QUALITY = 0.85

/**
 * The middle square of a picture, small, without anything that the file said of where and when it was taken.
 *
 * @throws RangeError for one that is too large; DOMException for one that the browser cannot read.
 */
export async function shrinkPicture(file: Blob, type: 'image/webp' | 'image/png' = 'image/webp'): Promise<Blob> {
  if (file.size > MAX_FILE_BYTES) throw new RangeError(t('The image is larger than 25 MB.'))
  const picture = await createImageBitmap(file)
  try {
    const side = Math.min(picture.width, picture.height)
    const edge = Math.min(EDGE_PX, side)
    const canvas = Object.assign(document.createElement('canvas'), { width: edge, height: edge })
    const pen = canvas.getContext('2d')
    if (!pen) throw new DOMException('No canvas', 'NotSupportedError')
    pen.imageSmoothingQuality = 'high'
    // Tall pictures of people have the face above the middle.
    const top = (picture.height - side) / 4
    pen.drawImage(picture, (picture.width - side) / 2, top, side, side, 0, 0, edge, edge)
    return await encoded(canvas, type)
  } finally {
    picture.close()
  }
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new DOMException('No picture', 'EncodingError'))),
      type,
      WEBP_QUALITY,
    )
  })
}
