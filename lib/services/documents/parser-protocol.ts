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
