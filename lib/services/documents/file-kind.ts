// biome-ignore-all lint/suspicious/noControlCharactersInRegex: signatures are bytes
import type { DocumentFormat } from './parser-protocol.ts'

export type NamedFile = { bytes: Uint8Array; mime?: string; filename?: string }

export type FileKind =
  | { type: 'parsed'; format: DocumentFormat }
  | { type: 'text'; charset?: string; isText: boolean }
  | { type: 'unsupported' }

/** Enough for every signature: a PDF may have this much before its own. Source: ISO 32000-1, annex H. */
const HEAD_BYTES = 1024

const MARKUP_TYPES = new Set(['text/html', 'application/xhtml+xml'])
const MARKUP_EXTENSIONS = new Set(['html', 'htm', 'xhtml', 'xht'])
const TEXT_TYPES =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|csv))$/
const TEXT_EXTENSIONS = new Set(
  `txt text md markdown mdx rst adoc tex csv tsv json jsonl ndjson xml yaml yml toml ini cfg conf env log srt vtt sql
  js mjs cjs jsx ts tsx py rb php pl lua r jl go rs java kt kts scala swift c h cc cpp cxx hpp cs m mm vb fs hs elm erl
  ex exs clj lisp dart zig nim sh bash zsh fish ps1 bat css scss sass less vue svelte proto graphql tf dockerfile make
  diff patch svg`.split(/\s+/),
)
const PARSED_TYPES =
  /^application\/(?:pdf|x-pdf|rtf|x-rtf|epub\+zip|vnd\.openxmlformats-.+|vnd\.oasis\.opendocument\..+|vnd\.ms-excel.*|msword)$/
const PARSED_EXTENSIONS = new Set([
  'pdf',
  'epub',
  'docx',
  'docm',
  'pptx',
  'pptm',
  'xlsx',
  'xlsm',
  'xls',
  'odt',
  'ott',
  'rtf',
])
const GENERIC_TYPES = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

/** Tells a file's kind by content first, then by media type, then by the end of its name. */
export function fileKind(file: NamedFile): FileKind {
  const head = latin1(file.bytes.subarray(0, HEAD_BYTES))
  const format = signedFormat(head)
  if (format) return { type: 'parsed', format }

  const { mime, charset } = mediaType(file.mime)
  const extension = extensionOf(file.filename)
  if (isMarkup(head, mime, extension)) return { type: 'parsed', format: 'html' }
  const isNamedText = GENERIC_TYPES.has(mime) ? TEXT_EXTENSIONS.has(extension) : TEXT_TYPES.test(mime)
  return { type: 'text', isText: isNamedText, ...(charset && { charset }) }
}

/** Tells that a file was sent as a type whose files are never plain text. */
export function claimsDocument({ mime, filename }: NamedFile): boolean {
  const { mime: type } = mediaType(mime)
  return PARSED_TYPES.test(type) || (GENERIC_TYPES.has(type) && PARSED_EXTENSIONS.has(extensionOf(filename)))
}

/** Tells pictures made of pixels, which belong among the images of a message, from other files. */
export function isImageFile(file: NamedFile): boolean {
  const head = latin1(file.bytes.subarray(0, HEAD_BYTES))
  const format = signedFormat(head)
  if (format) return format === 'image'
  const { mime } = mediaType(file.mime)
  const isClaimed = GENERIC_TYPES.has(mime)
    ? /^(?:png|jpe?g|webp|gif|avif|heic|heif|bmp|tiff?)$/.test(extensionOf(file.filename))
    : mime.startsWith('image/') && mime !== 'image/svg+xml'
  // What only claims to be a picture is one when nothing else can be made of it.
  return isClaimed && !/^\s*</.test(head)
}

export const charsetOf = (mime: string | undefined): string | undefined => mediaType(mime).charset

function mediaType(value = ''): { mime: string; charset?: string } {
  const [type = '', ...parameters] = value.slice(0, 256).split(';')
  const charset = parameters.map((part) => /^\s*charset\s*=\s*"?([\w.:-]{1,40})"?\s*$/i.exec(part)?.[1]).find(Boolean)
  return { mime: type.trim().toLowerCase(), ...(charset && { charset }) }
}

function extensionOf(filename = ''): string {
  const base = filename.slice(-256).split(/[/\\]/).at(-1) ?? ''
  return (base.split('.').at(-1) ?? '').toLowerCase().trim()
}

function isMarkup(head: string, mime: string, extension: string): boolean {
  if (MARKUP_TYPES.has(mime)) return true
  if (!GENERIC_TYPES.has(mime)) return false
  if (MARKUP_EXTENSIONS.has(extension)) return true
  return !TEXT_EXTENSIONS.has(extension) && /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)[\s>]/i.test(head)
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

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

function signedFormat(head: string): DocumentFormat | undefined {
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0]
}
