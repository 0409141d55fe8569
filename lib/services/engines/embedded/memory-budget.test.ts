import { describe, expect, test, vi } from 'vitest'
import { MemoryBudget, type MemoryUser, memoryLimits, NotWanted } from '@/lib/services/engines/embedded/memory-budget'

class Model implements MemoryUser {
  lastUsedAt = 0
  isBusy = false
  isGone = false
  isLoaded = false
  release: () => void = () => undefined

  constructor(lastUsedAt = 0) {
    this.lastUsedAt = lastUsedAt
  }

  isIdle = () => this.isLoaded && !this.isBusy
  isWanted = () => !this.isGone
  unload = vi.fn(() => {
    this.isLoaded = false
  })

  async load(budget: MemoryBudget, bytes: number, isRequired = false): Promise<void> {
    this.release = await budget.hold(this, bytes, { isRequired, onQueued: () => undefined })
    this.isLoaded = true
  }
}

const budgetOf = (budget: number, available = Number.POSITIVE_INFINITY) =>
  new MemoryBudget(() => ({ budget, available }))
const ticks = () => new Promise((resolve) => setImmediate(resolve))

describe('memory that models share', () => {
  test('holds several models while they fit', async () => {
    const budget = budgetOf(100)
    const [a, b] = [new Model(), new Model()]
    await Promise.all([a.load(budget, 60), b.load(budget, 40)])
    expect([a.isLoaded, b.isLoaded]).toEqual([true, true])
  })

  test('is taken from the idle model that was used least recently, and from no more than needed', async () => {
    const budget = budgetOf(100)
    const [old, older, recent, next] = [new Model(2), new Model(1), new Model(3), new Model()]
    for (const model of [old, older, recent]) await model.load(budget, 30)
    const loading = next.load(budget, 40)
    expect([old, older, recent].map(({ unload }) => unload.mock.calls.length)).toEqual([0, 1, 0])
    await ticks()
    expect(next.isLoaded, 'while the process of the other is still there').toBe(false)
    older.release()
    await loading
    expect(next.isLoaded).toBe(true)
  })

  test('is never taken from a model that answers: the next one waits in line, with its position', async () => {
    const budget = budgetOf(100)
    const [busy, first, second] = [new Model(), new Model(), new Model()]
    await busy.load(budget, 80)
    busy.isBusy = true
    const onQueued = vi.fn()
    const loading = budget.hold(first, 50, { isRequired: false, onQueued })
    const after = second.load(budget, 30)
    expect(onQueued).toHaveBeenCalledOnce()
    expect([first, second, busy].map((model) => budget.positionOf(model))).toEqual([1, 2, undefined])
    expect(busy.unload).not.toHaveBeenCalled()
    busy.isBusy = false
    budget.settle()
    expect(busy.unload).toHaveBeenCalledOnce()
    busy.release()
    await Promise.all([loading, after])
    expect([first, second].map((model) => budget.positionOf(model))).toEqual([undefined, undefined])
  })

  test('is not taken from an idle model where that is not enough', async () => {
    const budget = budgetOf(100)
    const [busy, idle, large] = [new Model(), new Model(), new Model()]
    await busy.load(budget, 60)
    busy.isBusy = true
    await idle.load(budget, 30)
    void large.load(budget, 90)
    expect(idle.unload).not.toHaveBeenCalled()
    expect(budget.positionOf(large)).toBe(1)
  })

  test('is not held by a model that nobody waits for any more', async () => {
    const budget = budgetOf(100)
    const [busy, left] = [new Model(), new Model()]
    await busy.load(budget, 80)
    busy.isBusy = true
    const loading = left.load(budget, 50)
    left.isGone = true
    budget.settle()
    await expect(loading).rejects.toBeInstanceOf(NotWanted)
    expect(budget.positionOf(left)).toBeUndefined()
  })

  test('that a model asks for beyond all there is: refused with the sizes, unless it is required', async () => {
    const budget = budgetOf(2_000_000_000)
    await expect(new Model().load(budget, 3_000_000_000)).rejects.toMatchObject({
      reason: 'offline',
      message: expect.stringMatching(/needs 3\.0 GB .* 2\.0 GB are free/),
    })
    const [tight, required] = [new Model(), new Model()]
    await tight.load(budget, 1_500_000_000)
    tight.release()
    await required.load(budget, 3_000_000_000, true)
    expect(required.isLoaded).toBe(true)
  })

  test('that other programs took is not counted on: an idle model goes, and without one the next is refused', async () => {
    let available = 200
    const budget = new MemoryBudget(() => ({ budget: 1_000, available }))
    const [idle, next] = [new Model(), new Model()]
    await idle.load(budget, 100)
    available = 50
    const loading = next.load(budget, 120)
    expect(idle.unload).toHaveBeenCalledOnce()
    available = 60
    idle.release()
    await expect(loading).rejects.toMatchObject({ reason: 'offline' })
  })

  test('is counted again for a model that comes back before its old process has ended', async () => {
    const budget = budgetOf(100)
    const model = new Model()
    await model.load(budget, 60)
    const releaseOld = model.release
    model.isLoaded = false
    const again = model.load(budget, 60)
    expect(budget.positionOf(model)).toBe(1)
    releaseOld()
    await again
    const other = new Model()
    model.isBusy = true
    void other.load(budget, 60)
    expect(budget.positionOf(other)).toBe(1)
  })
})

test('limits are those of the operator, or of the machine', () => {
  expect(memoryLimits(500)).toEqual({ budget: 500_000_000, available: Number.POSITIVE_INFINITY })
  const { budget, available } = memoryLimits()
  expect(budget).toBeGreaterThan(0)
  expect(available).toBeGreaterThan(0)
})
