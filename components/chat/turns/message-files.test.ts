import { expect, test } from 'vitest'
import { safeMediaType, safeName, sizeText } from '@/components/chat/turns/message-files'
import { formatLength } from '@/lib/browser/format/size'

const file = (kind: 'image' | 'audio' | 'video' | 'document', mediaType: string) => ({
  id: '1',
  kind,
  mediaType,
  name: 'a',
  size: 1,
  hash: 'h',
})

test('sizes and lengths are short words', () => {
  expect([sizeText(512), sizeText(1_400_000), sizeText(25_000_000)]).toEqual(['512 bytes', '1.4 MB', '25 MB'])
  expect([formatLength(4_000), formatLength(65_000), formatLength(3_605_000)]).toEqual(['0:04', '1:05', '1:00:05'])
})

test('a file is never taken for a page or a drawing that runs', () => {
  expect(safeMediaType(file('image', 'image/svg+xml'))).toBe('image/png')
  expect(safeMediaType(file('image', 'image/webp'))).toBe('image/webp')
  expect(safeMediaType(file('document', 'text/html'))).toBe('application/octet-stream')
  expect(safeMediaType(file('audio', 'text/html'))).toBe('application/octet-stream')
  expect(safeMediaType(file('video', 'video/mp4'))).toBe('video/mp4')
})

test('a name does not hide its ending, and is no path', () => {
  expect(safeName('invoice\u202Efdp.exe')).toBe('invoicefdp.exe')
  expect(safeName('../../etc/passwd')).toBe('.._.._etc_passwd')
  expect(safeName('\u200B')).toBe('file')
})
