import { expect, test } from 'vitest'
import { dropInvisible, TextSink } from '@/lib/services/documents/text'

test('pictures beyond what may be handed on are left out, and the document counts as cut', () => {
  const sink = new TextSink(1_000)
  for (let page = 0; page < 20; page++) sink.image(Buffer.alloc(4 * 1024 * 1024))
  sink.block('After the pictures.')
  const { parts, isTruncated } = sink.finish()
  expect(parts.filter((part) => 'image' in part)).toHaveLength(8)
  expect(parts.at(-1)).toEqual({ text: 'After the pictures.' })
  expect(isTruncated).toBe(true)
})

const code = (...points: number[]) => String.fromCodePoint(...points)

test.each([
  ['controls', `a${code(0, 8, 0x1b, 0x7f, 0x9f)}b`, 'ab'],
  ['tags', `a${code(0xe0041, 0xe0042, 0xe007f)}b`, 'ab'],
  ['variation selectors, a byte each', `a${code(0xfe00, 0xe0100, 0xe01ef)}b`, 'ab'],
  ['blanks of no width', `a${code(0x200b, 0x2060, 0x2064, 0xfeff, 0xad)}b`, 'ab'],
  ['marks that turn the text', `a${code(0x202e, 0x2066, 0x200f)}b`, 'ab'],
  ['fillers', `a${code(0x3164, 0x115f, 0xffa0)}b`, 'ab'],
])('%s are taken out', (_what, text, expected) => {
  expect(dropInvisible(text)).toBe(expected)
})

test('lines, tabs, joiners and the styles of emoji stay', () => {
  const text = `\ta\r\nb${code(0x2028)}c ${code(0x1f468, 0x200d, 0x1f469)} ${code(0x2764, 0xfe0f)} می${code(0x200c)}خواهم`
  expect(dropInvisible(text)).toBe(text.replace('\r\n', '\n').replace(code(0x2028), '\n'))
})
