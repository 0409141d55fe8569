import { expect, test } from 'vitest'
import { kindOf } from '@/lib/browser/files/kind'

const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const box = (brand: string) => `\0\0\0\x18ftyp${brand}\0\0\0\0`

test.each([
  ['\x89PNG\r\n\x1a\n', 'a.txt', '', 'image', 'image/png'],
  ['\xff\xd8\xff\xe0', 'a', '', 'image', 'image/jpeg'],
  ['RIFF....WEBPVP8 ', 'a', '', 'image', 'image/webp'],
  [box('heic'), 'IMG_1.HEIC', '', 'image', 'image/heic'],
  [box('avif'), 'a', '', 'image', 'image/avif'],
  ['RIFF....WAVEfmt ', 'a', '', 'audio', 'audio/wav'],
  ['ID3\x04', 'a', '', 'audio', 'audio/mpeg'],
  ['\xff\xfb\x90\x00', 'a', '', 'audio', 'audio/mpeg'],
  ['\xff\xf1\x50\x80', 'a', '', 'audio', 'audio/aac'],
  ['OggS\0', 'a', '', 'audio', 'audio/ogg'],
  ['fLaC', 'a', '', 'audio', 'audio/flac'],
  ['FORM....AIFF', 'a', '', 'audio', 'audio/aiff'],
  [box('M4A '), 'a', '', 'audio', 'audio/mp4'],
  [box('isom'), 'a', 'audio/mp4', 'audio', 'audio/mp4'],
  [box('isom'), 'a.mp4', 'video/mp4', 'video', 'video/mp4'],
  [box('qt  '), 'a.mov', '', 'video', 'video/quicktime'],
  ['\x1aE\xdf\xa3\x9fB\x82\x84webm', 'a', 'video/webm', 'video', 'video/webm'],
  ['\x1aE\xdf\xa3\x9fB\x82\x84webm', 'a', 'audio/webm', 'audio', 'audio/webm'],
  ['\0\0\x01\xba', 'a.mpg', '', 'video', 'video/mpeg'],
  ['%PDF-1.7', 'a', '', 'document', 'application/pdf'],
  ['PK\x03\x04', 'b.odt', '', 'document', 'application/vnd.oasis.opendocument.text'],
  ['{\\rtf1', 'old.rtf', '', 'document', 'application/rtf'],
  ['{\\rtf1', 'old.doc', '', 'document', 'application/rtf'],
  ['PK\x03\x04', 'b.epub', '', 'document', 'application/epub+zip'],
  ['\xd0\xcf\x11\xe0', 'old.xls', '', 'document', 'application/vnd.ms-excel'],
  ['fn main() {}', 'a.rs', '', 'document', 'text/plain'],
  ['a,b\n', 'a.csv', '', 'document', 'text/csv'],
])('%j called %s is %s %s', (head, name, type, kind, mediaType) => {
  expect(kindOf(bytes(head), name, type)).toMatchObject({ kind, mediaType })
})

test.each([
  ['PK\x03\x04', 'things.zip'],
  ['\x7fELF\0\0', 'program'],
  ['\xd0\xcf\x11\xe0', 'old.doc'],
  ['\x1aE\xdf\xa3\x93B\x82\x88matroska', 'film.mkv'],
  ['', 'empty.txt'],
])('%j called %s is nothing that is read', (head, name) => {
  expect(kindOf(bytes(head), name)).toBeUndefined()
})

test('a picture that calls itself a document is a picture', () => {
  expect(kindOf(bytes('\x89PNG\r\n\x1a\n'), 'report.pdf', 'application/pdf')?.kind).toBe('image')
})
