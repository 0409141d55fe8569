import { expect, test } from 'vitest'
import { fileNameOf } from '@/lib/browser/save-file'

test.each([
  ['a/b\\c:d', 'a b c d.md'],
  ['../Ada / "Löwe"\n', 'Ada Löwe.md'],
  ['Tides, and why (two a day)', 'Tides, and why (two a day).md'],
  ['\u202egpj.exe', 'gpj.exe.md'],
  ['<script>window.hacked = 1;</script>', 'script window.hacked 1 script.md'],
  ['$(date) `date` & more', '(date) date more.md'],
  ['..', 'chat.md'],
  ['???', 'chat.md'],
  ['', 'chat.md'],
  ['x'.repeat(200), `${'x'.repeat(80)}.md`],
  [`${'x'.repeat(79)}. y`, `${'x'.repeat(79)}.md`],
])('%j is saved as %s', (words, name) => {
  expect(fileNameOf(words, 'md', 'chat')).toBe(name)
})
