import { encodePixels, type Pixels } from './image.ts'
import type { Pdfjs, PdfPage } from './pdf.ts'

/** Scanners cut a page into strips; what is more than this is decoration. */
const MOST_IMAGES = 8
const MOST_OPERATORS = 100_000
/** Smaller ones hold no line of text. */
const SMALLEST_SIDE_PX = 24
/** A picture that was announced and never comes. */
const IMAGE_WAIT_MS = 5_000

/** Source: pdf.js, `ImageKind`. */
const KIND = { gray1: 1, rgb: 2, rgba: 3 } as const

type PdfImage = { width: number; height: number; data?: Uint8Array | Uint8ClampedArray | string; kind?: number }

/** The pictures on a page, in the order in which they are painted, as PNG, upright as the page is shown. */
export async function readPageImages(page: PdfPage, pdfjs: Pdfjs, deadlineAt: number): Promise<Uint8Array[]> {
  const { fnArray, argsArray } = await page.getOperatorList()
  const { OPS } = pdfjs
  const masks: number[] = [OPS.paintImageMaskXObject, OPS.paintImageMaskXObjectRepeat]
  const pictures: number[] = [OPS.paintImageXObject, OPS.paintImageXObjectRepeat, OPS.paintInlineImageXObject]
  const seen = new Set<string>()
  const images: Uint8Array[] = []
  for (let i = 0; i < Math.min(fnArray.length, MOST_OPERATORS) && images.length < MOST_IMAGES; i++) {
    const operator = fnArray[i]!
    const isMask = masks.includes(operator)
    if (!isMask && !pictures.includes(operator)) continue
    if (performance.now() > deadlineAt) break
    const named: PdfImage | string | undefined = argsArray[i]?.[0]
    const key = typeof named === 'string' ? named : typeof named?.data === 'string' ? named.data : undefined
    if (key !== undefined && seen.has(key)) continue
    if (key !== undefined) seen.add(key)
    const image = key === undefined ? (named as PdfImage | undefined) : await resolveImage(page, key)
    const pixels = image && pixelsOf(image, isMask)
    if (pixels) images.push(await encodePixels(pixels, page.rotate))
  }
  return images
}

function resolveImage(page: PdfPage, key: string): Promise<PdfImage | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), IMAGE_WAIT_MS)
    const objects = key.startsWith('g_') ? page.commonObjs : page.objs
    objects.get(key, (image: PdfImage | null) => {
      clearTimeout(timer)
      resolve(image ?? undefined)
    })
  })
}

function pixelsOf({ width, height, data, kind }: PdfImage, isMask: boolean): Pixels | undefined {
  if (data === undefined || typeof data === 'string') return
  if (!(width >= SMALLEST_SIDE_PX && height >= SMALLEST_SIDE_PX)) return
  if (isMask || kind === KIND.gray1) return { data: spreadBits(data, width, height), width, height, channels: 1 }
  const channels = kind === KIND.rgb ? 3 : kind === KIND.rgba ? 4 : undefined
  if (channels === undefined || data.length < width * height * channels) return
  return { data, width, height, channels }
}

/** One bit a pixel to one byte a pixel; a set bit is white, and what a mask does not paint. */
function spreadBits(data: Uint8Array | Uint8ClampedArray, width: number, height: number): Uint8Array {
  const rowBytes = (width + 7) >> 3
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = ((data[y * rowBytes + (x >> 3)] ?? 0xff) >> (7 - (x & 7))) & 1
      pixels[y * width + x] = bit ? 255 : 0
    }
  }
  return pixels
}
