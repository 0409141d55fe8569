import { getResolvedPDFJS } from 'unpdf'
import { ExtractionError } from './extraction-error.ts'
import { MOST_PIXELS } from './image.ts'
import { readPageImages } from './pdf-images.ts'
import type { TextSink } from './text-sink.ts'

export type Pdfjs = Awaited<ReturnType<typeof getResolvedPDFJS>>
export type PdfDocument = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

const MOST_PAGES = 1_000
/** Pages whose pictures are taken for recognition of their text. */
const MOST_SCANNED_PAGES = 20
/** A page with fewer characters (a stamp, a page number) may be a scan. */
const SCAN_TEXT_CHARS = 16
/** What has been read by then is the answer: well inside the time after which the whole child is ended. */
const SOFT_DEADLINE_MS = 12_000
/** A gap between lines that makes a paragraph, in heights of the line. */
const PARAGRAPH_GAP = 1.7

/**
 * Reads the text of a PDF page by page; of pages that are pictures, the pictures. Nothing is drawn, run or fetched:
 * fonts are not loaded, scripts and forms are not evaluated, attachments are not opened.
 */
export async function readPdf(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const deadlineAt = performance.now() + SOFT_DEADLINE_MS
  const pdfjs = await getResolvedPDFJS()
  const task = pdfjs.getDocument({
    // It takes ownership of the memory, which a Buffer may share with others.
    data: new Uint8Array(bytes),
    verbosity: pdfjs.VerbosityLevel.ERRORS,
    maxImageSize: MOST_PIXELS,
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
  const pages = Math.min(document.numPages, MOST_PAGES)
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
      const text = await pageText(page, sink.room)
      sink.block(text)
      if (text.trim().length < SCAN_TEXT_CHARS && scanned < MOST_SCANNED_PAGES) {
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

/** Reads the text in pieces, so that a page of endless text ends at what there is room for. */
async function pageText(page: PdfPage, room: number): Promise<string> {
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
    if (text.length <= room) continue
    await reader.cancel(new Error('enough text')).catch(() => undefined)
    return text
  }
}

const isPasswordError = (error: unknown): boolean => error instanceof Error && error.name === 'PasswordException'
