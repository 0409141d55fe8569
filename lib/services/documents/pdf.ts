import { getResolvedPDFJS } from 'unpdf'
import { MAX_IMAGE_PIXELS } from '../../contract/limits.ts'
import { encodePixels, type Pixels } from './image.ts'
import { ExtractionError } from './parser-protocol.ts'
import type { TextSink } from './text.ts'

export type Pdfjs = Awaited<ReturnType<typeof getResolvedPDFJS>>
export type PdfDocument = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

const MAX_PAGES = 1_000
const MAX_SCANNED_PAGES = 20
const SCAN_TEXT_CHARS = 16
const SOFT_DEADLINE_MS = 12_000
const PARAGRAPH_GAP = 1.7

/**
 * Reads the text of a PDF page by page, and the pictures of scanned pages. Nothing is drawn, run or fetched: no fonts,
 * scripts, forms or attachments.
 */
export async function readPdf(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const deadlineAt = performance.now() + SOFT_DEADLINE_MS
  const pdfjs = await getResolvedPDFJS()
  const task = pdfjs.getDocument({
    // It takes ownership of the memory, which a Buffer may share with others.
    data: new Uint8Array(bytes),
    verbosity: pdfjs.VerbosityLevel.ERRORS,
    maxImageSize: MAX_IMAGE_PIXELS,
    disableFontFace: true,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
    disableAutoFetch: true,
    disableStream: true,
    disableRange: true,
  })
  try {
    const document = await task.promise
    await readPages(document, pdfjs, sink, deadlineAt)
  } catch (error) {
    throw isPasswordError(error) ? new ExtractionError('encrypted') : error
  } finally {
    await task.destroy().catch(() => undefined)
  }
}

async function readPages(document: PdfDocument, pdfjs: Pdfjs, sink: TextSink, deadlineAt: number): Promise<void> {
  const pages = Math.min(document.numPages, MAX_PAGES)
  if (pages < document.numPages) sink.truncate()
  let broken = 0
  let scanned = 0
  for (let number = 1; number <= pages; number++) {
    if (performance.now() > deadlineAt) {
      sink.truncate()
      break
    }
    try {
      const page = await document.getPage(number)
      const text = await pageText(page, sink.remaining)
      sink.block(text)
      if (text.trim().length < SCAN_TEXT_CHARS && scanned < MAX_SCANNED_PAGES) {
        const images = await readPageImages(page, pdfjs, deadlineAt)
        if (images.length > 0) scanned++
        for (const image of images) sink.image(image)
      }
      page.cleanup()
    } catch (error) {
      if (error instanceof Error && error.name === 'SinkFull') throw error
      // One page that cannot be read does not take the others away.
      broken++
    }
  }
  if (sink.isEmpty && broken > 0) throw new ExtractionError('corrupt')
}

type TextItem = { str: string; hasEOL: boolean; transform: number[]; height: number }

async function pageText(page: PdfPage, remaining: number): Promise<string> {
  let text = ''
  let lineY: number | undefined
  const reader = page.streamTextContent({ includeMarkedContent: false }).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return text
    for (const item of value.items as TextItem[]) {
      const y = item.transform[5] ?? 0
      const isNewLine = text.endsWith('\n')
      if (isNewLine && lineY !== undefined && item.str.trim() !== '') {
        if (lineY - y > PARAGRAPH_GAP * Math.max(item.height, 1)) text += '\n'
      }
      if (item.str.trim() !== '') lineY = y
      text += item.hasEOL ? `${item.str}\n` : item.str
    }
    if (text.length <= remaining) continue
    await reader.cancel(new Error('enough text')).catch(() => undefined)
    return text
  }
}

const isPasswordError = (error: unknown): boolean => error instanceof Error && error.name === 'PasswordException'

const MAX_IMAGES = 8
const MAX_OPERATORS = 100_000
const MIN_SIDE_PX = 24
const IMAGE_WAIT_MS = 5_000

// Source: pdf.js, `ImageKind`.
const KIND = { gray1: 1, rgb: 2, rgba: 3 } as const

type PdfImage = { width: number; height: number; data?: Uint8Array | Uint8ClampedArray | string; kind?: number }

async function readPageImages(page: PdfPage, pdfjs: Pdfjs, deadlineAt: number): Promise<Uint8Array[]> {
  const { fnArray, argsArray } = await page.getOperatorList()
  const { OPS } = pdfjs
  const masks: number[] = [OPS.paintImageMaskXObject, OPS.paintImageMaskXObjectRepeat]
  const imageFiles: number[] = [OPS.paintImageXObject, OPS.paintImageXObjectRepeat, OPS.paintInlineImageXObject]
  const seen = new Set<string>()
  const images: Uint8Array[] = []
  for (let i = 0; i < Math.min(fnArray.length, MAX_OPERATORS) && images.length < MAX_IMAGES; i++) {
    const operator = fnArray[i]!
    const isMask = masks.includes(operator)
    if (!isMask && !imageFiles.includes(operator)) continue
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
  if (!(width >= MIN_SIDE_PX && height >= MIN_SIDE_PX)) return
  if (isMask || kind === KIND.gray1) return { data: spreadBits(data, width, height), width, height, channels: 1 }
  const channels = kind === KIND.rgb ? 3 : kind === KIND.rgba ? 4 : undefined
  if (channels === undefined || data.length < width * height * channels) return
  return { data, width, height, channels }
}

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
