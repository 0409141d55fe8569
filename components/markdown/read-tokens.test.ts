import { expect, test } from 'vitest'
import { decodeEntities } from '@/components/markdown/entities'
import { markdownBlocks, readTokens } from '@/components/markdown/markdown-blocks'

test('words with more signs than anybody writes are shown as they are', () => {
  const text = `${'*a **b '.repeat(5_000)}${'c** d*'.repeat(5_000)}`
  expect(readTokens(text)).toEqual([expect.objectContaining({ type: 'paragraph', text })])
})

test('quotes of a depth that fills the stack lose no word and throw nothing', () => {
  const text = `${'>'.repeat(20_000)} deep`
  const { blocks } = markdownBlocks(text)
  expect(blocks.map(({ raw }) => raw).join('')).toBe(text)
  expect(readTokens(text)[0]).toMatchObject({ type: 'paragraph', text })
})

test('ordinary markdown is read', () => {
  expect(readTokens('# A\n\n- *b*\n\n| c |\n|---|\n| d |').map(({ type }) => type)).toEqual([
    'heading',
    'space',
    'list',
    'space',
    'table',
  ])
})

test('character references become characters, and never a mark of ours', () => {
  expect(decodeEntities('a &amp; b &lt;i&gt; &#x41;&#66; &nosuchname; &')).toBe('a & b <i> AB &nosuchname; &')
  expect(decodeEntities('&#xFDD0;&#64977;&#0;&#xD800;&#9999999;')).toBe('\uFFFD'.repeat(5))
})
