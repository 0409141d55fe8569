import { expect, test } from 'vitest'
import { safeMediaType, safeName } from '@/components/chat/turns/message-files'

const file = (kind: 'image' | 'audio' | 'video' | 'document', mediaType: string) => ({
  id: '1',
  kind,
  mediaType,
  name: 'a',
  size: 1,
  hash: 'h',
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
