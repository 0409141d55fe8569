import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markdownBlocks } from '@/components/chat/markdown-blocks'

const SAMPLE = `# Tides

One *paragraph*.

- a list
  - with a child

\`\`\`ts
const a = 1

const b = 2
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

The end.`

test('each top-level part is a block, with its blank lines', () => {
  const { blocks } = markdownBlocks(SAMPLE)
  expect(blocks.map((block) => block.trim().split('\n')[0])).toEqual([
    '# Tides',
    'One *paragraph*.',
    '- a list',
    '```ts',
    '| a | b |',
    'The end.',
  ])
  expect(blocks.join('')).toBe(SAMPLE)
})

test('while a text grows, all blocks but the last two stay as they were', () => {
  let before: string[] = []
  for (let end = 1; end <= SAMPLE.length; end++) {
    const { blocks } = markdownBlocks(SAMPLE.slice(0, end))
    const settled = Math.max(0, Math.min(before.length, blocks.length) - 2)
    expect(blocks.slice(0, settled)).toEqual(before.slice(0, settled))
    before = blocks
  }
})

test('an open code fence is one block to the end', () => {
  const { blocks } = markdownBlocks('Look:\n\n```py\nx = 1\n\n# not a heading')
  expect(blocks).toHaveLength(2)
})

test('a link defined elsewhere is known in every block that may use it', () => {
  const { blocks } = markdownBlocks('See [tables][t].\n\nPlain.\n\n[t]: https://example.org')
  expect(blocks[0]).toContain('[t]: https://example.org')
  expect(blocks[1]).not.toContain('example.org')
})

test('the highest heading is found, and 7 stands for none', () => {
  expect(markdownBlocks('### a\n\n## b\n\n#### c').topHeading).toBe(2)
  expect(markdownBlocks('words').topHeading).toBe(7)
})

test('no text makes it throw or lose letters', () => {
  const unit = fc.constantFrom('#', '-', '`', '*', '|', '[', ']', '\n', ' ', 'a', '>', '1.')
  const letters = (text: string) => text.split('a').length - 1
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(letters(markdownBlocks(text).blocks.join(''))).toBe(letters(text))
    }),
  )
})
