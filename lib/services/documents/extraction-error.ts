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
