import type { Attachment } from '@/lib/browser/storage/records'

export type FileKind = { kind: Attachment['kind']; mediaType: string; isForeignAudio?: boolean }

export const HEAD_BYTES = 1_024

const OOXML = 'application/vnd.openxmlformats-officedocument'
const ZIP_DOCUMENTS: Readonly<Record<string, string>> = {
  docx: `${OOXML}.wordprocessingml.document`,
  docm: `${OOXML}.wordprocessingml.document`,
  pptx: `${OOXML}.presentationml.presentation`,
  pptm: `${OOXML}.presentationml.presentation`,
  xlsx: `${OOXML}.spreadsheetml.sheet`,
  xlsm: `${OOXML}.spreadsheetml.sheet`,
  odt: 'application/vnd.oasis.opendocument.text',
  ott: 'application/vnd.oasis.opendocument.text-template',
  epub: 'application/epub+zip',
}
const TEXT_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  htm: 'text/html',
}
const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])
const AVIF_BRANDS = new Set(['avif', 'avis'])
const AUDIO_BRANDS = new Set(['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B '])
const OTHER_BRANDS = new Set(['jp2 ', 'jpx ', 'jxl ', 'crx ', 'mif2'])

/**
 * Detects a file's kind by its first bytes, then by its name; `undefined` where nothing reads it.
 * @param head its first `HEAD_BYTES`.
 * @param type what the browser says; believed only where the content leaves a choice.
 */
export function kindOf(head: Uint8Array, name: string, type = ''): FileKind | undefined {
  const start = latin1(head)
  return imageOf(start) ?? videoOrAudio(start, type) ?? audioOf(start, head) ?? documentOf(start, head, name)
}

function imageOf(start: string): FileKind | undefined {
  const image = (mediaType: string): FileKind => ({ kind: 'image', mediaType })
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return image('image/png')
  if (start.startsWith('\xff\xd8\xff')) return image('image/jpeg')
  if (/^GIF8[79]a/.test(start)) return image('image/gif')
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return image('image/webp')
  const brand = brandOf(start)
  if (brand === undefined) return undefined
  if (AVIF_BRANDS.has(brand)) return image('image/avif')
  return HEIC_BRANDS.has(brand) ? image('image/heic') : undefined
}

function videoOrAudio(start: string, type: string): FileKind | undefined {
  const brand = brandOf(start)
  const claimsAudio = type.startsWith('audio/')
  if (brand !== undefined) {
    if (OTHER_BRANDS.has(brand)) return undefined
    if (claimsAudio || AUDIO_BRANDS.has(brand)) return { kind: 'audio', mediaType: 'audio/mp4' }
    return { kind: 'video', mediaType: brand === 'qt  ' ? 'video/quicktime' : 'video/mp4' }
  }
  if (start[0] === '\0' && /^(moov|mdat|wide)/.test(start.slice(4)))
    return { kind: 'video', mediaType: 'video/quicktime' }
  if (start.startsWith('\x1aE\xdf\xa3')) {
    if (!start.slice(0, 64).includes('webm')) return undefined
    if (claimsAudio) return { kind: 'audio', mediaType: 'audio/webm', isForeignAudio: true }
    return { kind: 'video', mediaType: 'video/webm' }
  }
  if (start.startsWith('\0\0\x01\xba') || start.startsWith('\0\0\x01\xb3')) {
    return { kind: 'video', mediaType: 'video/mpeg' }
  }
  return undefined
}

function audioOf(start: string, head: Uint8Array): FileKind | undefined {
  const audio = (mediaType: string): FileKind => ({ kind: 'audio', mediaType })
  const form = start.slice(8, 12)
  if (/^RI?F[FX4]/.test(start) && form === 'WAVE') return audio('audio/wav')
  if (start.startsWith('FORM') && (form === 'AIFF' || form === 'AIFC')) return audio('audio/aiff')
  if (start.startsWith('OggS')) return audio('audio/ogg')
  if (start.startsWith('fLaC')) return audio('audio/flac')
  if (start.startsWith('ID3')) return audio('audio/mpeg')
  const [first = 0, second = 0, third = 0] = head
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const layer = (second >> 1) & 3
  if (layer === 0) return (second & 0xf0) === 0xf0 ? audio('audio/aac') : undefined
  const isFrame = ((second >> 3) & 3) !== 1 && third >> 4 !== 15 && ((third >> 2) & 3) !== 3
  return isFrame ? audio('audio/mpeg') : undefined
}

function documentOf(start: string, head: Uint8Array, name: string): FileKind | undefined {
  const document = (mediaType: string): FileKind => ({ kind: 'document', mediaType })
  const extension = (name.split('.').at(-1) ?? '').toLowerCase()
  if (start.includes('%PDF-')) return document('application/pdf')
  if (start.startsWith('PK\x03\x04')) {
    const mediaType = ZIP_DOCUMENTS[extension]
    return mediaType ? document(mediaType) : undefined
  }
  if (start.startsWith('\xd0\xcf\x11\xe0')) {
    return extension === 'xls' ? document('application/vnd.ms-excel') : undefined
  }
  if (/^(?:\xef\xbb\xbf)?\s*\{\\rtf/.test(start)) return document('application/rtf')
  if (!isText(head)) return undefined
  return document(TEXT_TYPES[extension] ?? 'text/plain')
}

/** Text has no zero bytes, and what is no UTF-8 is at least printable in an older encoding. */
function isText(head: Uint8Array): boolean {
  if (head.length === 0) return false
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true
  let odd = 0
  for (const byte of head) {
    if (byte === 0) return false
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) odd += 1
  }
  return odd * 50 <= head.length
}

function brandOf(start: string): string | undefined {
  return start.slice(4, 8) === 'ftyp' ? start.slice(8, 12) : undefined
}

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, HEAD_BYTES), (byte) => String.fromCharCode(byte)).join('')
}
