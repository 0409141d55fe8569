import { expect, test } from 'vitest'
import { pngOf } from './testing/bombs.ts'
import { fileKind, isImageFile } from './text-parser.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const png = pngOf(10, 10)

test.each([
  ['a picture by its bytes', { bytes: png, mime: 'application/pdf', filename: 'a.pdf' }, true],
  ['a picture of unknown name', { bytes: png }, true],
  ['JPEG', { bytes: Buffer.from('ffd8ffe000104a464946', 'hex'), filename: 'a.txt' }, true],
  ['WebP', { bytes: Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1') }, true],
  ['a broken picture', { bytes: utf8('not a picture'), mime: 'image/png' }, true],
  ['a broken picture by its name', { bytes: utf8('no'), mime: 'application/octet-stream', filename: 'a.JPG' }, true],
  ['a drawing, which is text', { bytes: utf8('<svg/>'), mime: 'image/svg+xml', filename: 'a.svg' }, false],
  ['a page that was sent as a picture', { bytes: utf8(' <!doctype html>'), mime: 'image/png' }, false],
  ['a PDF that was sent as a picture', { bytes: utf8('%PDF-1.7'), mime: 'image/png' }, false],
  ['text', { bytes: utf8('words'), mime: 'text/plain', filename: 'a.png' }, false],
])('%s: is it an image', (_name, file, expected) => {
  expect(isImageFile(file)).toBe(expected)
})

test.each([
  ['its bytes before its type and name', { bytes: utf8('%PDF-1.4'), mime: 'text/plain', filename: 'a.txt' }, 'pdf'],
  ['its type before its name', { bytes: utf8('<p>x'), mime: 'text/html; charset=utf-8', filename: 'a.txt' }, 'html'],
  [
    'its name where the type says nothing',
    { bytes: utf8('<p>x'), mime: 'application/octet-stream', filename: 'a.htm' },
    'html',
  ],
  ['its first words where the name says nothing', { bytes: utf8('\n<!DOCTYPE HTML><p>x') }, 'html'],
])('a file is what %s say', (_name, file, format) => {
  expect(fileKind(file)).toEqual({ type: 'parsed', format })
})

test('a page that was sent as text stays text, in the declared charset', () => {
  const file = { bytes: utf8('<html>'), mime: 'text/plain; charset="ISO-8859-1"', filename: 'a.html' }
  expect(fileKind(file)).toEqual({ type: 'text', isText: true, charset: 'ISO-8859-1' })
})
