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
