import { type DocumentFormat, type DocumentPart, ExtractionError } from './parser-protocol.ts'
import { SinkFull, TextSink } from './text.ts'

type DocumentJob = { format: DocumentFormat; bytes: Uint8Array; charset?: string; maxChars: number }

/**
 * Reads one document; each reader is imported when its first document comes.
 *
 * @throws ExtractionError, and whatever a broken document makes a library throw.
 */
export async function readDocument(job: DocumentJob): Promise<{ parts: DocumentPart[]; isTruncated: boolean }> {
  const sink = new TextSink(job.maxChars)
  try {
    await read(job, sink)
  } catch (error) {
    if (!(error instanceof SinkFull)) throw error
  }
  const { parts, isTruncated } = sink.finish()
  if (parts.length === 0) throw new ExtractionError('empty')
  return { parts, isTruncated }
}

async function read({ format, bytes, charset }: DocumentJob, sink: TextSink): Promise<void> {
  if (format === 'zip') return readArchive(bytes, sink)
  if (format === 'pdf') return (await import('./pdf.ts')).readPdf(bytes, sink)
  if (format === 'rtf') return (await import('./rtf.ts')).readRtf(bytes, sink)
  if (format === 'ole2') return (await import('./xlsx.ts')).readXls(bytes, sink)
  if (format === 'image') return sink.image(await (await import('./image.ts')).readImage(bytes))
  const { title, content } = (await import('./page.ts')).readPage(bytes, charset === undefined ? {} : { charset })
  if (title !== '' && !content.startsWith('# ')) sink.block(`# ${title}`)
  sink.write(content)
}

async function readArchive(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const { Archive, findMainPart } = await import('./archive.ts')
  const archive = await Archive.open(bytes)
  const main = await findMainPart(archive)
  if (main?.type === 'docx') return (await import('./docx.ts')).readDocx(archive, main.part, sink)
  if (main?.type === 'pptx') return (await import('./pptx.ts')).readPptx(archive, main.part, sink)
  if (main?.type === 'xlsx') return (await import('./xlsx.ts')).readXlsx(archive, main.part, sink)
  const odt = await import('./odt.ts')
  if (await odt.isOdt(archive)) return odt.readOdt(archive, sink)
  const epub = await import('./epub.ts')
  if (epub.isEpub(archive)) return epub.readEpub(archive, sink)
  throw new ExtractionError('unsupported')
}
