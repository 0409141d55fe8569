import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold, searchWords, termsOf, WordIndex } from '@/lib/browser/search/word-index'

const word = fc.stringMatching(/^[a-c]{1,4}$/)

test('finds what a plain look at every text finds, whatever was added, packed and removed', () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ add: fc.array(word, { maxLength: 6 }) }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.constant({ pack: true }) },
    { weight: 1, arbitrary: fc.constant({ squeeze: true }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(word, { minLength: 1, maxLength: 3 }), (steps, terms) => {
      const index = new WordIndex()
      const texts = new Map<number, Set<string>>()
      for (const each of steps) {
        if ('add' in each) {
          const words = new Set(each.add)
          texts.set(index.add(words), words)
        } else if ('remove' in each) {
          index.remove(each.remove)
          texts.delete(each.remove)
        } else if ('pack' in each) index.pack()
        else index.squeeze()
      }
      const asked = [...new Set(terms)]
      const plain = [...texts].flatMap(([number, words]) =>
        asked.every((term) => [...words].some((known) => known.startsWith(term)))
          ? [{ number, whole: asked.filter((term) => words.has(term)).length }]
          : [],
      )
      const byNumber = (a: { number: number }, b: { number: number }) => a.number - b.number
      expect(index.find(asked).sort(byNumber)).toEqual(plain)
      expect(index.size).toBe(texts.size)
    }),
    { numRuns: 300 },
  )
})

test('words lose case and accents; what has no spaces is found by any part', () => {
  expect(searchWords('Café, CAFÉ — naïve 42')).toEqual(new Set(['cafe', 'naive', '42']))
  expect(fold('ÅNGSTRÖM')).toBe('angstrom')
  const index = new WordIndex()
  const number = index.add(searchWords('今天天气很好'))
  for (const query of ['天气', '今天', '很好', '好', '天天气']) {
    expect(
      index.find(termsOf(query)).map((found) => found.number),
      query,
    ).toEqual([number])
  }
  expect(index.find(termsOf('天很'))).toEqual([])
})

test('a key of a thousand letters is no word', () => {
  expect(searchWords(`a ${'x'.repeat(1000)} b`)).toEqual(new Set(['a', 'b']))
})

/** Texts with the frequencies of a language: a few words in every text, most in few. */
function corpus(count: number): string[] {
  let seed = 7
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  const syllables = ['ka', 'lo', 'mi', 'ter', 'sun', 'var', 'en', 'dro', 'pli', 'gan', 'os', 'ru']
  const vocabulary = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => syllables[Math.floor(random() * 12)]).join(''),
  )
  const pick = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? 'the'
  return Array.from({ length: count }, () => Array.from({ length: 20 + Math.floor(random() * 160) }, pick).join(' '))
}

/** A word that counts how often another one is compared with it. */
function counted(word: string): { term: string; comparisons: () => number } {
  let comparisons = 0
  const term = { toString: () => (++comparisons ? word : '') }
  // Where strings are compared, and where one is asked whether it begins with another, this is one.
  return { term: term as unknown as string, comparisons: () => comparisons }
}

test('ten thousand messages: a quarter of their size, and found without a look at every word', () => {
  const texts = corpus(10_000)
  const index = new WordIndex()
  for (const text of texts) index.add(searchWords(text))
  index.squeeze()
  const size = texts.reduce((sum, text) => sum + text.length, 0)
  expect(index.bytes / size).toBeLessThan(0.25)

  const known = new Set(texts.flatMap((text) => [...searchWords(text)])).size
  for (let number = 0; number < texts.length; number += 131) {
    const words = texts[number]!.split(' ').slice(5, 7).map(counted)
    const found = index.find(words.map(({ term }) => term))
    expect(found.map((one) => one.number)).toContain(number)
    for (const { comparisons } of words) {
      expect(comparisons()).toBeGreaterThan(0)
      expect(comparisons() / known).toBeLessThan(0.1)
    }
  }
})
