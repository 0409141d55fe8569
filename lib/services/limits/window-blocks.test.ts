import { expect, test } from 'vitest'
import type { SharedCounter } from '@/lib/services/limits/shared-store'
import { inBlocks } from '@/lib/services/limits/window-blocks'

const END = 4_000_000_000_000

/** A count that several processes share, and how often it was asked. */
function shared() {
  const totals = new Map<string, number>()
  const state = { asked: 0, isBroken: false }
  const counter: SharedCounter = {
    async add(key, amount) {
      state.asked++
      if (state.isBroken) throw new Error('gone')
      const total = (totals.get(key) ?? 0) + amount
      totals.set(key, total)
      return total
    },
  }
  return { state, counter, totals }
}

test('several processes together admit exactly the limit, at far fewer round trips than requests', async () => {
  const { state, counter } = shared()
  const processes = Array.from({ length: 4 }, () => inBlocks(counter))
  let admitted = 0
  for (let n = 0; n < 4_000; n++) {
    const { isAllowed } = await processes[n % 4]!.take('a', 1_000, END)
    if (isAllowed) admitted++
  }
  expect(admitted).toBe(1_000)
  expect(state.asked).toBeLessThan(150)
})

test('requests of one moment never pass the limit either', async () => {
  const { counter } = shared()
  const processes = Array.from({ length: 3 }, () => inBlocks(counter))
  const takes = await Promise.all(Array.from({ length: 300 }, (_, n) => processes[n % 3]!.take('a', 50, END)))
  expect(takes.filter(({ isAllowed }) => isAllowed)).toHaveLength(50)
})

test('a block in hand and a used-up window are answered without waiting', async () => {
  const windows = inBlocks(shared().counter)
  await windows.take('a', 160, END)
  expect(windows.take('a', 160, END)).toEqual({ isAllowed: true, left: 158 })
  for (let n = 0; n < 158; n++) await windows.take('a', 160, END)
  expect(windows.take('a', 160, END)).toEqual({ isAllowed: false, left: 0 })
})

test('what one process spends, another hears with its next telling', async () => {
  const { counter, state } = shared()
  const [one, two] = [inBlocks(counter), inBlocks(counter)]
  one.spend('t', 700, 1_600, END)
  expect(await one.spent('t', 1_600, END)).toBe(700)
  expect(await two.spent('t', 1_600, END)).toBe(700)
  one.spend('t', 99, 1_600, END)
  expect(one.spent('t', 1_600, END)).toBe(799)
  expect(state.asked).toBe(2)
  two.spend('t', 200, 1_600, END)
  await new Promise((resolve) => setImmediate(resolve))
  expect(two.spent('t', 1_600, END)).toBe(900)
})

test('without the shared count each process keeps the limit by itself', async () => {
  const { counter, state } = shared()
  state.isBroken = true
  const windows = inBlocks(counter)
  const takes = await Promise.all(Array.from({ length: 30 }, () => windows.take('a', 20, END)))
  expect(takes.filter(({ isAllowed }) => isAllowed)).toHaveLength(20)
  windows.spend('t', 40, 100, END)
  expect(await windows.spent('t', 100, END)).toBe(40)
})

test('a new window starts with a new count', async () => {
  const clock = { nowMs: END - 1 }
  const { counter } = shared()
  const windows = inBlocks(counter, () => clock.nowMs)
  expect(await windows.take('a', 1, END)).toMatchObject({ isAllowed: true })
  expect(await windows.take('a', 1, END)).toMatchObject({ isAllowed: false })
  clock.nowMs = END
  expect(await windows.take('a', 1, END + 60_000)).toMatchObject({ isAllowed: true })
})
