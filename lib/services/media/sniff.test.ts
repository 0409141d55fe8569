import { expect, test } from 'vitest'
import { sniffAudio, sniffAudioContainer, sniffImage, videoKind } from '@/lib/services/media/sniff'

const bytes = (text: string) => Buffer.from(text.padEnd(64, '\0'), 'latin1')
const brands = (...names: string[]) => {
  const size = String.fromCharCode(0, 0, 0, 12 + names.length * 4)
  return bytes(`${size}ftyp${names[0]}\0\0\0\0${names.slice(1).join('')}`)
}

test.each([
  ['png', bytes('\x89PNG\r\n\x1a\n')],
  ['jpeg', bytes('\xff\xd8\xff\xe0')],
  ['gif', bytes('GIF89a')],
  ['webp', bytes('RIFF\0\0\0\0WEBPVP8 ')],
  ['avif', brands('avif', 'mif1')],
  ['avif', brands('mif1', 'avif')],
  ['heic', brands('heic', 'mif1')],
  ['heic', brands('mif1', 'heic')],
  [undefined, brands('isom', 'avif')],
  [undefined, bytes('RIFF\0\0\0\0WAVE')],
  [undefined, bytes('II*\0')],
  [undefined, bytes('%PDF-1.7')],
  [undefined, bytes(' \x89PNG\r\n\x1a\n')],
  [undefined, Buffer.alloc(0)],
])('image: %s', (kind, file) => {
  expect(sniffImage(file)).toBe(kind)
})

test.each([
  ['wav', bytes('RIFF\0\0\0\0WAVEfmt ')],
  ['aiff', bytes('FORM\0\0\0\0AIFC')],
  ['ogg', bytes('OggS')],
  ['flac', bytes('fLaC')],
  ['flac', bytes('ID3\x04\0\0\0\0\0\0fLaC')],
  ['mp3', bytes('ID3\x03\0\0\0\0\0\x05')],
  ['mp3', bytes('\xff\xfb\x90\x00')],
  ['aac', bytes('\xff\xf1\x50\x80')],
  ['aac', bytes('ID3\x04\0\0\0\0\0\0\xff\xf1\x50\x80')],
  ['mov', brands('M4A ', 'isom')],
  ['mov', brands('isom')],
  [undefined, brands('avif')],
  [undefined, bytes('\xff\xfb\xff\xff')],
  [undefined, bytes('RIFF\0\0\0\0AVI ')],
  [undefined, bytes('#EXTM3U')],
])('audio: %s', (kind, file) => {
  expect(sniffAudio(file)).toBe(kind)
})

test('bare samples are not taken for frames of MP3', () => {
  expect(sniffAudioContainer(bytes('\xff\xfb\x90\x00'))).toBeUndefined()
})

test.each([
  ['video/mp4', brands('isom', 'avc1')],
  ['video/mp4', brands('mp42')],
  ['video/quicktime', brands('qt  ')],
  ['video/quicktime', bytes('\0\0\0\x08wide')],
  ['video/webm', bytes('\x1aE\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm')],
  ['video/mpeg', bytes('\0\0\x01\xba')],
  ['video/mpeg', bytes('\0\0\x01\xb3')],
  [undefined, bytes('\x1aE\xdf\xa3\x9f\x42\x82\x88matroska')],
  [undefined, brands('M4A ')],
  [undefined, brands('heic')],
  [undefined, bytes('ffconcat version 1.0')],
  [undefined, bytes('#EXTM3U')],
])('video: %s', (mime, file) => {
  expect(videoKind(file)?.mime).toBe(mime)
})
