import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'

const DOWNLOAD_MS = 300_000
const engine = createEmbeddings({ dataDir: path.resolve('.cache') })
const open = new AbortController().signal
const embed = (...texts: string[]) => engine.embed(texts, open)

beforeAll(() => embed('warm up'), DOWNLOAD_MS)
afterAll(() => engine.close())

const likeness = (one: Float32Array, other: Float32Array) => one.reduce((sum, value, i) => sum + value * other[i]!, 0)

test('each vector has length 1 and as many numbers as the engine says', async () => {
  for (const vector of await embed('The tide comes in.', '', '   ', '🌊', '中文')) {
    expect(vector).toHaveLength(384)
    expect(likeness(vector, vector)).toBeCloseTo(1, 5)
  }
})

test('what means the same is nearest, whatever the words', async () => {
  const pairs = [
    ['The cat sits on the mat', 'A feline is resting on a rug'],
    ['How do I reset my password?', 'I forgot my login credentials'],
    ['The moon pulls the water of the sea', 'Tides are caused by lunar gravity'],
    ['Shares fell sharply on Monday', 'The stock market had a bad day'],
    ['She is cooking dinner for her family', 'A woman prepares a meal at home'],
    ['The train to Paris was late', 'Our railway journey was delayed'],
  ] as const
  const asked = await embed(...pairs.map(([first]) => first))
  const found = await embed(...pairs.map(([, second]) => second))
  for (const [index, vector] of asked.entries()) {
    const scores = found.map((other) => likeness(vector, other))
    expect(scores.indexOf(Math.max(...scores))).toBe(index)
  }
})

test('a text has the same vector alone as among many', async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `Sentence ${index} ${'of the tide '.repeat(index)}`)
  const together = await embed(...texts)
  for (const index of [0, 7, 31, 32, 39]) {
    const [alone] = await embed(texts[index]!)
    expect(alone).toEqual(together[index])
  }
})

test('what a text has beyond the window does not count', async () => {
  const words = 'the tide goes out and comes in again '
  const [one, other] = await embed(
    words.repeat(60),
    `${words.repeat(60)} And now for stock markets. ${words.repeat(9_000)}`,
  )
  expect(one).toEqual(other)
})

test('of text that is no language no more is looked at than of any other', async () => {
  const nasty = ['a'.repeat(1e6), '中'.repeat(1e6), '\u0301'.repeat(1e6), '! '.repeat(1e6), '\ud800'.repeat(1e5)]
  const parts = await Array.fromAsync(engine.embedParts('all-minilm-l6-v2', nasty, open))
  expect(parts.flatMap(({ vectors }) => vectors)).toHaveLength(nasty.length)
  // The characters that are handed on, each a token at most, and the two marks.
  expect(Math.max(...parts.flatMap(({ tokensOfEach }) => tokensOfEach))).toBeLessThanOrEqual(8_192 + 2)
})

test('no texts have no vectors, and an abort is heard between texts', async () => {
  expect(await embed()).toEqual([])
  const leaving = new AbortController()
  const asked = engine.embed(Array(2_000).fill('a long list of texts'), leaving.signal)
  setTimeout(() => leaving.abort(new Error('gone')), 50)
  await expect(asked).rejects.toThrow('gone')
  expect(await embed('and on we go')).toHaveLength(1)
})
