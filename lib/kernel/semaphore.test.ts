import { expect, test } from 'vitest'
import { Semaphore } from '@/lib/kernel/semaphore'

const open = new AbortController().signal

test('a place goes to who waited longest, and two that come free at once to two', async () => {
  const slots = new Semaphore(2)
  const [first, second] = [await slots.acquire(open), await slots.acquire(open)]
  const order: string[] = []
  const waiting = ['a', 'b', 'c'].map((name) => slots.acquire(open).then(() => order.push(name)))
  expect([slots.active, slots.queued]).toEqual([2, 3])
  first()
  second()
  await Promise.all(waiting.slice(0, 2))
  expect(order).toEqual(['a', 'b'])
  expect([slots.active, slots.queued]).toEqual([2, 1])
})

test('the position of each who waits is told by its signal, and moves up', async () => {
  const slots = new Semaphore(1)
  const leave = await slots.acquire(open)
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const waiting = [first, second, third].map(({ signal }) => slots.acquire(signal))
  const positions = () => [first, second, third].map(({ signal }) => slots.positionOf(signal))
  expect(positions()).toEqual([1, 2, 3])
  second.abort(new Error('gone'))
  await expect(waiting[1]).rejects.toThrow('gone')
  expect(positions()).toEqual([1, undefined, 2])
  leave()
  await waiting[0]
  expect(positions()).toEqual([undefined, undefined, 1])
})

test('a full queue refuses at once, in the words of its owner', async () => {
  const slots = new Semaphore(1, { max: 1, full: () => new Error('too many') })
  const leave = await slots.acquire(open)
  const queued = slots.acquire(open)
  await expect(slots.acquire(open)).rejects.toThrow('too many')
  leave()
  ;(await queued)()
  expect([slots.active, slots.queued]).toEqual([0, 0])
})

test('who leaves takes no place: before, while waiting, and in the moment of its turn', async () => {
  const slots = new Semaphore(1)
  const leave = await slots.acquire(open)
  const [leaving, late] = [new AbortController(), new AbortController()]
  const left = slots.acquire(leaving.signal)
  const tooLate = slots.acquire(late.signal)
  const stays = slots.acquire(open)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(slots.acquire(leaving.signal)).rejects.toThrow('gone')
  leave()
  late.abort(new Error('gone too'))
  await expect(tooLate).rejects.toThrow('gone too')
  ;(await stays)()
  expect([slots.active, slots.queued]).toEqual([0, 0])
})

test('a place is given back once, however often its holder says so', async () => {
  const slots = new Semaphore(2)
  const leave = await slots.acquire(open)
  await slots.acquire(open)
  leave()
  leave()
  expect(slots.active).toBe(1)
})
