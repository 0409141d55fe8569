import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOUR_MS, hourOf, RollingDay } from '@/lib/endpoints/rpc/daily-credits'

const DAY_MS = 24 * HOUR_MS
/** Late enough that a day before it is after 1970. */
const START_MS = 490_000 * HOUR_MS

type Use = { atMs: number; amount: number }

const naive = (uses: Use[], nowMs: number): number => {
  const counting = uses.filter(({ atMs }) => (hourOf(atMs) + 1) * HOUR_MS > nowMs - DAY_MS && atMs <= nowMs)
  return counting.reduce((sum, { amount }) => sum + amount, 0)
}

const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.integer({ min: 0, max: 2 * HOUR_MS }), fc.integer({ min: 0, max: 60 * HOUR_MS })),
    amount: fc.integer({ min: 0, max: 1_000_000 }),
  }),
  { minLength: 1, maxLength: 80 },
)

test('at any moment the total is that of the definition', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const day = new RollingDay()
      const uses: Use[] = []
      let nowMs = START_MS
      for (const { waitMs, amount } of list) {
        nowMs += waitMs
        expect(day.total(hourOf(nowMs))).toBe(naive(uses, nowMs))
        day.add(hourOf(nowMs), amount)
        uses.push({ atMs: nowMs, amount })
        expect(day.total(hourOf(nowMs))).toBe(naive(uses, nowMs))
      }
    }),
  )
})

test('never less than what was used in the last 24 hours to the millisecond, never more than in the last 25', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const day = new RollingDay()
      const uses: Use[] = []
      let nowMs = START_MS
      const usedSince = (sinceMs: number) =>
        uses.reduce((sum, { atMs, amount }) => (atMs > sinceMs ? sum + amount : sum), 0)
      for (const { waitMs, amount } of list) {
        nowMs += waitMs
        day.add(hourOf(nowMs), amount)
        uses.push({ atMs: nowMs, amount })
        const total = day.total(hourOf(nowMs))
        expect(total).toBeGreaterThanOrEqual(usedSince(nowMs - DAY_MS))
        expect(total).toBeLessThanOrEqual(usedSince(nowMs - DAY_MS - HOUR_MS))
      }
    }),
  )
})

test('it is the same in whatever order the hours are learned', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 1_000 })), { minLength: 1 }),
      (hours) => {
        const first = START_MS / HOUR_MS
        const last = first + 60
        const inOrder = hours.toSorted(([a], [b]) => a - b)
        const totals = [hours, inOrder, inOrder.toReversed()].map((list) => {
          const day = new RollingDay()
          for (const [hour, amount] of list) day.add(first + hour, amount)
          return day.total(last)
        })
        expect(new Set(totals).size).toBe(1)
      },
    ),
  )
})

test('the moment of ease is the first at which no more than that is left', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 3_000_000 }), (list, max) => {
      const day = new RollingDay()
      const uses: Use[] = []
      let nowMs = START_MS
      for (const { waitMs, amount } of list) {
        nowMs += waitMs
        day.add(hourOf(nowMs), amount)
        uses.push({ atMs: nowMs, amount })
      }
      fc.pre(naive(uses, nowMs) > max)
      const easesAtMs = day.easesAtMs(hourOf(nowMs), max)!
      expect(easesAtMs).toBeGreaterThan(nowMs)
      expect(easesAtMs).toBeLessThanOrEqual(nowMs + DAY_MS + HOUR_MS)
      expect(naive(uses, easesAtMs)).toBeLessThanOrEqual(max)
      expect(naive(uses, easesAtMs - 1)).toBeGreaterThan(max)
    }),
  )
})

test('nothing ever eases to less than nothing', () => {
  const day = new RollingDay()
  day.add(START_MS / HOUR_MS, 5)
  expect(day.easesAtMs(START_MS / HOUR_MS, -1)).toBeUndefined()
})

test('a clock that goes back takes nothing out of the count and adds to the hour it names', () => {
  const day = new RollingDay()
  const hour = START_MS / HOUR_MS
  day.add(hour, 5)
  day.add(hour - 1, 7)
  expect(day.total(hour - 3)).toBe(12)
  day.add(hour - 25, 100)
  expect(day.total(hour)).toBe(12)
  expect(day.total(hour + 24)).toBe(5)
  expect(day.total(hour + 25)).toBe(0)
})
