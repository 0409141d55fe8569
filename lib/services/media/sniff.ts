// Files are told by their first bytes, never by their declared type. Only the kinds that are read here are known: a
// parser of hundreds of formats is a parser of hostile bytes in the server's own thread.

export type ImageKind = 'png' | 'jpeg' | 'webp' | 'avif' | 'gif' | 'heic'
export type AudioKind = 'wav' | 'mp3' | 'aiff' | 'aac' | 'ogg' | 'flac' | 'mov'
export type VideoKind = { mime: 'video/mp4' | 'video/mpeg' | 'video/quicktime' | 'video/webm'; demuxer: string }

const MAX_BRANDS = 32
const EBML_HEADER_BYTES = 64

const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])
const AVIF_BRANDS = new Set(['avif', 'avis'])
const OTHER_IMAGE_BRANDS = new Set(['jp2 ', 'jpx ', 'jxl ', 'crx ', 'mif2'])
const AUDIO_BRANDS = new Set(['M4A ', 'M4B ', 'M4P ', 'F4A ', 'F4B '])

export function sniffImage(bytes: Uint8Array): ImageKind | undefined {
  if (text(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (text(bytes, 0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (text(bytes, 0, 6) === 'GIF87a' || text(bytes, 0, 6) === 'GIF89a') return 'gif'
  if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WEBP') return 'webp'
  const brands = brandsOf(bytes)
  if (!brands.some((brand) => AVIF_BRANDS.has(brand) || HEIC_BRANDS.has(brand))) return undefined
  const isStill = AVIF_BRANDS.has(brands[0] ?? '') || HEIC_BRANDS.has(brands[0] ?? '')
  if (!isStill) return undefined
  return brands.some((brand) => AVIF_BRANDS.has(brand)) ? 'avif' : 'heic'
}

export function sniffAudio(bytes: Uint8Array): AudioKind | undefined {
  const kind = sniffAudioContainer(bytes)
  if (kind) return kind
  const [first = 0, second = 0, third = 0] = bytes
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  if (layer === 0) return (second & 0xf0) === 0xf0 && ((third >> 2) & 15) < 13 ? 'aac' : undefined
  const hasValidRates = third >> 4 !== 0 && third >> 4 !== 15 && ((third >> 2) & 3) !== 3
  return version !== 1 && hasValidRates ? 'mp3' : undefined
}

export function sniffAudioContainer(bytes: Uint8Array): AudioKind | undefined {
  const magic = text(bytes, 0, 4)
  const form = text(bytes, 8, 4)
  if (magic === 'RIFF' || magic === 'RIFX' || magic === 'RF64') return form === 'WAVE' ? 'wav' : undefined
  if (magic === 'FORM') return form === 'AIFF' || form === 'AIFC' ? 'aiff' : undefined
  if (magic === 'OggS') return 'ogg'
  if (magic === 'fLaC') return 'flac'
  if (magic.startsWith('ID3')) return tagged(bytes)
  return isVideo(bytes) || AUDIO_BRANDS.has(brandsOf(bytes)[0] ?? '') ? 'mov' : undefined
}

export function videoKind(bytes: Uint8Array): VideoKind | undefined {
  if (isVideo(bytes)) {
    const isQuickTime = (brandsOf(bytes)[0] ?? 'qt  ') === 'qt  '
    return { mime: isQuickTime ? 'video/quicktime' : 'video/mp4', demuxer: 'mov' }
  }
  const magic = text(bytes, 0, 4)
  if (magic === '\x1aE\xdf\xa3') {
    // The document type stands in the first element: `webm`, where Matroska's other uses say `matroska`.
    const isWebm = text(bytes, 0, EBML_HEADER_BYTES).includes('\x42\x82\x84webm')
    return isWebm ? { mime: 'video/webm', demuxer: 'matroska' } : undefined
  }
  if (magic === '\0\0\x01\xba') return { mime: 'video/mpeg', demuxer: 'mpeg' }
  if (magic === '\0\0\x01\xb3') return { mime: 'video/mpeg', demuxer: 'mpegvideo' }
  return undefined
}

function isVideo(bytes: Uint8Array): boolean {
  const brand = brandsOf(bytes)[0]
  if (brand === undefined) return ['moov', 'mdat', 'wide'].includes(text(bytes, 4, 4)) && bytes[0] === 0
  return ![HEIC_BRANDS, AVIF_BRANDS, OTHER_IMAGE_BRANDS, AUDIO_BRANDS].some((brands) => brands.has(brand))
}

function brandsOf(bytes: Uint8Array): string[] {
  if (text(bytes, 4, 4) !== 'ftyp' || bytes.length < 16) return []
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
  const end = Math.min(size, bytes.length, 16 + MAX_BRANDS * 4)
  const brands = [text(bytes, 8, 4)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(text(bytes, at, 4))
  return brands
}

function tagged(bytes: Uint8Array): AudioKind {
  const length = 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0)
  if (text(bytes, length, 4) === 'fLaC') return 'flac'
  return sniffAudio(bytes.subarray(length, length + 4)) === 'aac' ? 'aac' : 'mp3'
}

function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
