/** What a parser reads. `zip` is a DOCX, PPTX, XLSX, ODT or EPUB: which one is found inside. */
export type DocumentFormat = 'pdf' | 'zip' | 'rtf' | 'ole2' | 'html' | 'image'

export type ParserJob =
  | { type: 'document'; format: DocumentFormat; bytes: Uint8Array; charset?: string; maxChars: number }
  /** Plain text that is long: two seconds of 25 MB would hold up everybody else. */
  | { type: 'text'; bytes: Uint8Array; charset?: string; isText: boolean; maxChars: number }
  | { type: 'page'; bytes: Uint8Array; url: string; charset?: string }

/** A piece of a document, in reading order: text, or a picture (PNG) whose text has to be recognised. */
export type DocumentPart = { text: string } | { image: Uint8Array }

export type ReadablePage = { title: string; content: string; date: string }

export type ParserResult =
  | { type: 'document'; parts: DocumentPart[]; isTruncated: boolean }
  | { type: 'page'; page: ReadablePage }

/**
 * Why a document gave no text.
 *
 * - `unsupported`: a type that is not read
 * - `corrupt`: it breaks the rules of its type
 * - `encrypted`: it opens with a password or a licence only
 * - `empty`: it can be read, and there is no text in it
 * - `bomb`: reading it takes more memory, time or parts than one document may take
 * - `busy`: too many documents are being read at this moment
 */
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

/** A document that could not be read. Its message is safe to show: nothing of the document stands in it. */
export class ExtractionError extends Error {
  override name = 'ExtractionError'
  readonly reason: ExtractionFailure

  constructor(reason: ExtractionFailure, options: { message?: string; cause?: unknown } = {}) {
    super(options.message ?? MESSAGES[reason], { cause: options.cause })
    this.reason = reason
  }
}
