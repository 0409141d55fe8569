// biome-ignore-all lint/suspicious/noControlCharactersInRegex: signatures are bytes
import type { DocumentFormat } from './parser-protocol.ts'

/** First bytes of formats, one character a byte. */
const SIGNATURES: [DocumentFormat, RegExp][] = [
  ['image', /^\x89PNG\r\n\x1a\n/],
  ['image', /^\xff\xd8\xff/],
  ['image', /^RIFF[\s\S]{4}WEBP/],
  ['image', /^GIF8[79]a/],
  ['image', /^(?:II\*\0|MM\0\*)/],
  ['image', /^[\s\S]{4}ftyp(?:avif|avis|heic|heix|hevc|mif1|msf1)/],
  ['image', /^BM[\s\S]{4}\0\0\0\0/],
  ['zip', /^PK(?:\x03\x04|\x05\x06|\x07\x08)/],
  ['ole2', /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/],
  ['rtf', /^(?:\xef\xbb\xbf)?\s*\{\\rtf/],
  ['pdf', /(?:^|[\r\n\0])(?:\xef\xbb\xbf)?[ \t]*%PDF-\d/],
]

/** The format that a file's first bytes (as Latin-1) show. */
export function signedFormat(head: string): DocumentFormat | undefined {
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0]
}
