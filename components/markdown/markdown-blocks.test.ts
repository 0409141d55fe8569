import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MarkdownBlocks, markdownBlocks } from '@/components/markdown/markdown-blocks'
import { ANSWERS } from '@/components/markdown/testing-answers'

const rawOf = ({ blocks }: MarkdownBlocks) => blocks.map(({ raw }) => raw)

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
  const blocks = rawOf(markdownBlocks(SAMPLE))
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
    const blocks = rawOf(markdownBlocks(SAMPLE.slice(0, end)))
    const settled = Math.max(0, Math.min(before.length, blocks.length) - 2)
    expect(blocks.slice(0, settled)).toEqual(before.slice(0, settled))
    before = blocks
  }
})

test('a text that grew is cut as if it had come at once', () => {
  for (const answer of ANSWERS) {
    let grown: MarkdownBlocks | undefined
    for (let end = 0; end < answer.length; end += 7) {
      grown = markdownBlocks(answer.slice(0, end), grown)
    }
    grown = markdownBlocks(answer, grown)
    expect(rawOf(grown)).toEqual(rawOf(markdownBlocks(answer)))
    expect(grown.notes).toEqual(markdownBlocks(answer).notes)
  }
})

test('a text that was replaced by another one is read anew', () => {
  const before = markdownBlocks('# One\n\nTwo\n\nThree\n\nFour')
  expect(rawOf(markdownBlocks('Other\n\nwords', before))).toEqual(['Other\n\n', 'words'])
})

test('the links of a text are not written into a block of code that is still open', () => {
  const { blocks } = markdownBlocks('[t]: https://example.org\n\n```js\nlist[0]')
  expect(blocks.at(-1)?.raw).toBe('```js\nlist[0]')
})

test('a formula in lines of its own is one block, whatever its lines look like', () => {
  const blocks = rawOf(markdownBlocks('So:\n\n$$\na\n=\n\n- b\n$$\nDone'))
  expect(blocks).toEqual(['So:\n\n', '$$\na\n=\n\n- b\n$$\n', 'Done'])
})

test('notes are taken out of the text, with their further lines', () => {
  const { blocks, notes } = markdownBlocks('Tides[^a].\n\n[^a]: The moon\n  pulls.\n[^b]: Once\n\nEnd')
  expect(notes).toEqual([
    { label: 'a', text: 'The moon\npulls.' },
    { label: 'b', text: 'Once' },
  ])
  expect(blocks.map(({ raw }) => raw.trim())).toEqual(['Tides[^a].', 'End'])
})

test('an open code fence is one block to the end', () => {
  const { blocks } = markdownBlocks('Look:\n\n```py\nx = 1\n\n# not a heading')
  expect(blocks).toHaveLength(2)
})

test('a link defined elsewhere is known in every block that may use it', () => {
  const blocks = rawOf(markdownBlocks('See [tables][t].\n\nPlain.\n\n[t]: https://example.org'))
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
      expect(letters(rawOf(markdownBlocks(text)).join(''))).toBe(letters(text))
    }),
  )
})
