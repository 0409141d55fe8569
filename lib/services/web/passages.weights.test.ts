import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'
import { bestPassages } from '@/lib/services/web/passages'

const DOWNLOAD_MS = 300_000
const engine = createEmbeddings({ dataDir: path.resolve('.cache') })
const open = new AbortController().signal

beforeAll(() => engine.embed(['warm up'], open), DOWNLOAD_MS)
afterAll(() => engine.close())

const FERRY = 'The city’s ferries leave every ten minutes from the main quay. A ticket costs four dollars.'
const SHARKS = 'Sharks are rarely seen in the inner harbour. The aquarium keeps three of them.'

test('the passage that answers comes first, and every source has its say', async () => {
  const filler = Array.from(
    { length: 12 },
    (_, index) =>
      `Paragraph ${index} is about pottery, glazes and kilns. ${'It goes on and on about clay. '.repeat(20)}`,
  )
  const long = [...filler.slice(0, 6), FERRY, ...filler.slice(6)].join('\n\n')
  const question = 'How much is a ferry ticket?'
  const o = { budgetChars: 1_500, maxSources: 3, signal: open, engine }
  const found = await bestPassages(question, [filler.join('\n\n'), SHARKS, long], o)
  expect(found[0]!.source).toBe(2)
  expect(found.some(({ source, text }) => source === 2 && text.includes('four dollars'))).toBe(true)
  expect(new Set(found.map(({ source }) => source))).toEqual(new Set([0, 1, 2]))
  expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1_500)
})

test('meaning counts where no word is shared', async () => {
  const sources = [
    'The stock market fell sharply on Monday.',
    'A feline rested upon the rug.',
    'Bread needs yeast and time.',
  ]
  const o = { budgetChars: 400, maxSources: 3, signal: open, engine }
  const [first] = await bestPassages('where did the cat sleep', sources, o)
  expect(first!.source).toBe(1)
})
