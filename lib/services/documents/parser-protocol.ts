// `zip` is a DOCX, PPTX, XLSX, ODT or EPUB, which the entries tell.
export type DocumentFormat = 'pdf' | 'zip' | 'rtf' | 'ole2' | 'html' | 'image'

export type ParserJob =
  | { type: 'document'; format: DocumentFormat; bytes: Uint8Array; charset?: string; maxChars: number }
  | { type: 'text'; bytes: Uint8Array; charset?: string; isText: boolean; maxChars: number }
  | { type: 'page'; bytes: Uint8Array; url: string; charset?: string }

export type DocumentPart = { text: string } | { image: Uint8Array }

export type ReadablePage = { title: string; content: string; date: string }

export type ParserResult =
  | { type: 'document'; parts: DocumentPart[]; isTruncated: boolean }
  | { type: 'page'; page: ReadablePage }

export type ExtractionFailure = 'unsupported' | 'corrupt' | 'encrypted' | 'empty' | 'bomb' | 'busy'

const MESSAGES: Record<ExtractionFailure, string> = {
  unsupported:
    'This type of file cannot be read. Send a PDF, EPUB, DOCX, ODT, RTF, PPTX, XLSX, XLS, HTML or text file.',
  corrupt: 'The document is damaged and cannot be read. Save it again with the program that made it.',
  encrypted: 'The document is protected by a password. Remove the protection and send it again.',
  empty: 'There is no text in the document.',
  bomb: 'The document takes more memory or time to read than is allowed. Send a smaller one.',
  busy: 'Too many documents are being read at the moment. Try again in a few seconds.',
}

export class ExtractionError extends Error {
  override name = 'ExtractionError'
  readonly reason: ExtractionFailure

  constructor(reason: ExtractionFailure, options: { message?: string; cause?: unknown } = {}) {
    super(options.message ?? MESSAGES[reason], { cause: options.cause })
    this.reason = reason
  }
}
