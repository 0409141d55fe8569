import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { AGAIN, createBatcher } from '@/lib/kernel/batcher'

const noOutage = () => false

test('what is asked in one moment is one call, what is asked meanwhile is the next', async () => {
  const calls: number[][] = []
  const batcher = createBatcher(async (batch: number[]) => {
    calls.push(batch)
    await sleep(10)
    return batch.map((n) => n * 10)
  }, noOutage)
  const first = [1, 2].map(batcher.add)
  await nextTurn()
  await nextTurn()
  const second = [3, 4, 5].map(batcher.add)
  expect(await Promise.all([...first, ...second])).toEqual([10, 20, 30, 40, 50])
  expect(calls).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
})

test('a batch has a bound, and so has the queue', async () => {
  const sizes: number[] = []
  const batcher = createBatcher(async (batch: number[]) => {
    sizes.push(batch.length)
    return batch
  }, noOutage)
  const asked = Array.from({ length: 10_001 }, (_, n) => batcher.add(n))
  await expect(asked[10_000]).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await Promise.all(asked.slice(0, 10_000))
  expect(Math.max(...sizes)).toBe(256)
})

test('a member that breaks the call fails alone', async () => {
  const batcher = createBatcher(async (batch: number[]) => {
    if (batch.includes(2)) throw new Error('two')
    return batch
  }, noOutage)
  const outcomes = await Promise.allSettled([1, 2, 3].map(batcher.add))
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('an outage fails all of a call at once, and the next call is tried', async () => {
  let calls = 0
  const batcher = createBatcher(
    async (batch: number[]) => {
      if (++calls === 1) throw new Error('away')
      return batch
    },
    () => true,
  )
  const outcomes = await Promise.allSettled([1, 2, 3].map(batcher.add))
  expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true)
  expect(calls).toBe(1)
  expect(await batcher.add(4)).toBe(4)
})

test('an outage that took long fails those too who waited behind it, and not those who have just come', async () => {
  const hang = Promise.withResolvers<never>()
  let calls = 0
  const batcher = createBatcher(
    (batch: number[]) => (++calls === 1 ? hang.promise : Promise.resolve(batch)),
    () => true,
  )
  const first = batcher.add(1)
  await nextTurn()
  vi.spyOn(performance, 'now').mockReturnValueOnce(performance.now() - 60_000)
  const second = batcher.add(2)
  const third = batcher.add(3)
  hang.reject(new Error('no answer'))
  await expect(first).rejects.toThrow('no answer')
  await expect(second).rejects.toThrow('no answer')
  expect(await third).toBe(3)
  expect(calls).toBe(2)
})

test('a member that its companions kept from an answer goes first in the next call; alone it must get one', async () => {
  const calls: number[][] = []
  const batcher = createBatcher(async (batch: number[]) => {
    calls.push(batch)
    return batch.map((n, index) => (index === 0 && n !== 9 ? n : AGAIN))
  }, noOutage)
  expect(await Promise.all([1, 2, 3].map(batcher.add))).toEqual([1, 2, 3])
  expect(calls).toEqual([[1, 2, 3], [2, 3], [3]])
  await expect(batcher.add(9)).rejects.toThrow('no answer')
})

test('it is settled when nothing waits any more', async () => {
  let isDone = false
  const batcher = createBatcher(async (batch: number[]) => {
    await sleep(10)
    isDone = true
    return batch
  }, noOutage)
  await batcher.settled()
  void batcher.add(1)
  await batcher.settled()
  expect(isDone).toBe(true)
})
