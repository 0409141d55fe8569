import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { learnCharge, newRequest } from '@/lib/browser/charge'
import { nano } from '@/lib/contract/money'

const OPEN = { state: 'open' }
const NOTHING = { state: 'settled', charged: 0 }
const SENT_AT = 1_000_000
/** Longer than the service is asked. Not until no timer is left: one of another file in this process may always set a next. */
const PAST_THE_END_MS = 300_000

beforeEach(() => void vi.useFakeTimers({ now: SENT_AT }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A request sent just now whose price is asked for; the service says these things in turn, the last one from then on. */
function learning(says: object[], options?: { isAnswered: boolean }) {
  const asked: number[] = []
  vi.stubGlobal('fetch', async () => {
    const said = says[Math.min(asked.length, says.length - 1)]
    asked.push(Date.now() - SENT_AT)
    return Response.json(said)
  })
  const learnt: { after: number; cost: bigint }[] = []
  const keep = async ({ cost }: { cost: bigint }) => void learnt.push({ after: Date.now() - SENT_AT, cost })
  const done = learnCharge(newRequest('m'), keep, options)
  return { asked, learnt, done }
}

test('that the service answered and charged nothing for is known at once', async () => {
  const { asked, learnt, done } = learning([NOTHING], { isAnswered: true })
  await vi.advanceTimersByTimeAsync(PAST_THE_END_MS)
  await done
  expect(learnt).toEqual([{ after: 0, cost: 0n }])
  expect(asked).toHaveLength(1)
})

test('that was not answered may still be on its way: it is asked for once more when it would have come', async () => {
  const { learnt, done } = learning([NOTHING])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(learnt).toEqual([])
  await vi.advanceTimersByTimeAsync(PAST_THE_END_MS)
  await done
  expect(learnt).toEqual([{ after: 10_200, cost: 0n }])
})

test('that is still open is not known, answered or not', async () => {
  const { learnt, done } = learning([OPEN, OPEN, { state: 'settled', charged: 0.000_002 }], { isAnswered: true })
  await vi.advanceTimersByTimeAsync(PAST_THE_END_MS)
  await done
  expect(learnt).toEqual([{ after: 1_200, cost: nano(2_000n) }])
})

test('that never ends is left for another time', async () => {
  const { asked, learnt, done } = learning([OPEN])
  await vi.advanceTimersByTimeAsync(PAST_THE_END_MS)
  await done
  expect(learnt).toEqual([])
  expect(asked).toHaveLength(9)
})
