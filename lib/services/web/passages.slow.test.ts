import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '@/lib/kernel/testing/time'
import type { EmbeddingEngine } from '@/lib/services/engines/engine'
import { withEnvironment } from '@/lib/services/identity/testing'
import { bestPassages } from '@/lib/services/web/passages'

const open = new AbortController().signal
const withoutModel = <T>(run: () => Promise<T>) => withEnvironment({ EMBEDDED_MODELS: 'off' }, run)
const best = (question: string, sources: string[], budgetChars = 10_000, maxSources = 8) =>
  withoutModel(() => bestPassages(question, sources, { budgetChars, maxSources, signal: open }))

const clay = (index: number) =>
  `Paragraph ${index} is about glazes. ${'It goes on about clay and kilns. '.repeat(20)}`.trim()

test('without a model and without shared words the order is that of the sources', async () => {
  const found = await best('?', ['First.', 'Second.', 'Third.'])
  expect(found.map(({ source }) => source)).toEqual([0, 1, 2])
})

test('without a model shared words decide, the rare ones more', async () => {
  const sources = ['The harbour and the sea.', 'The harbour ferry leaves at nine.', 'The harbour and the town.']
  const [first] = await best('When does the harbour ferry leave?', sources)
  expect(first!.source).toBe(1)
})

test('the passage that answers is found deep in a long text', async () => {
  const text = [
    ...Array.from({ length: 60 }, (_, index) => clay(index)),
    'The ferry costs four dollars.',
    clay(61),
  ].join('\n\n')
  const found = await best('What does the ferry cost?', [text], 600)
  expect(found.map((passage) => passage.text).join()).toContain('four dollars')
})

test('the budget is kept, and every source has its say', async () => {
  const sources = Array.from({ length: 5 }, (_, index) =>
    Array.from({ length: 9 }, (_, at) => clay(10 * index + at)).join('\n\n'),
  )
  for (const budget of [200, 900, 2_000, 9_000]) {
    const found = await best('Which glazes?', sources, budget)
    expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(budget)
    expect(new Set(found.map(({ source }) => source)).size).toBe(Math.min(5, Math.floor(budget / 160)))
  }
})

test('no more sources than asked for', async () => {
  const found = await best('?', ['First.', 'Second.', 'Third.'], 10_000, 2)
  expect(new Set(found.map(({ source }) => source)).size).toBe(2)
})

test('passages of a source stand in its own order', async () => {
  const text = Array.from({ length: 30 }, (_, index) => clay(index)).join('\n\n')
  const found = await best('glazes', [text], 5_000)
  const positions = found.map(({ position }) => position)
  expect(positions).toEqual(positions.toSorted((left, right) => left - right))
  expect(positions.length).toBeGreaterThan(4)
})

test('what two sources have in common is read once', async () => {
  expect(await best('?', ['The same.', 'The same.'])).toHaveLength(1)
})

test('nothing comes of nothing', async () => {
  expect(await best('?', [])).toEqual([])
  expect(await best('?', ['', '  '])).toEqual([])
  expect(await best('?', ['Some text.'], 0)).toEqual([])
})

test('a model that breaks or answers badly is done without', async () => {
  const broken: EmbeddingEngine[] = [
    { embed: () => Promise.reject(new Error('broken')) },
    { embed: () => Promise.resolve([]) },
  ]
  for (const engine of broken) {
    const o = { budgetChars: 1_000, maxSources: 8, signal: open, engine }
    expect((await bestPassages('ferry', ['The sea.', 'A ferry.'], o))[0]).toMatchObject({ source: 1 })
  }
})

test('a caller who leaves is not kept by a model that does not hear', async () => {
  // The time for the comparison is never up either: nothing but leaving can end this.
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(open)
  onTestFinished(() => limit.mockRestore())
  const leaving = new AbortController()
  const embed = vi.fn<EmbeddingEngine['embed']>(() => new Promise(() => undefined))
  const o = { budgetChars: 1_000, maxSources: 8, signal: leaving.signal, engine: { embed } }
  const left = bestPassages('ferry', ['The sea.'], o)
  await eventually(() => expect(embed).toHaveBeenCalled())
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
})

test('a model that takes too long is done without', async () => {
  const slow: EmbeddingEngine = { embed: () => wait(60_000, [], { ref: false }) }
  const o = { budgetChars: 1_000, maxSources: 8, signal: open, engine: slow }
  expect(await bestPassages('ferry', ['The sea.'], o)).toHaveLength(1)
})

test('no more texts are compared than the bound, however long the sources', async () => {
  let asked = 0
  const counting: EmbeddingEngine = {
    embed: async (texts) => {
      asked = texts.length
      return texts.map(() => Float32Array.of(1))
    },
  }
  const sources = Array.from({ length: 8 }, () =>
    Array.from({ length: 40 }, (_, index) => clay(Math.random() + index)).join('\n\n'),
  )
  await bestPassages('x'.repeat(1_000_000), sources, {
    budgetChars: 4_000,
    maxSources: 8,
    signal: open,
    engine: counting,
  })
  expect(asked).toBe(49)
})
