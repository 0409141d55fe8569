import { expect, test } from 'vitest'
import { Slots } from '@/lib/kernel/semaphore'

const open = new AbortController().signal

test('a place goes to who waited longest, and two that come free at once to two', async () => {
  const slots = new Slots(2)
  const [first, second] = [await slots.enter(open), await slots.enter(open)]
  const order: string[] = []
  const waiting = ['a', 'b', 'c'].map((name) => slots.enter(open).then(() => order.push(name)))
  expect([slots.active, slots.queued]).toEqual([2, 3])
  first()
  second()
  await Promise.all(waiting.slice(0, 2))
  expect(order).toEqual(['a', 'b'])
  expect([slots.active, slots.queued]).toEqual([2, 1])
})

test('a full queue refuses at once, in the words of its owner', async () => {
  const slots = new Slots(1, { max: 1, full: () => new Error('too many') })
  const leave = await slots.enter(open)
  const queued = slots.enter(open)
  await expect(slots.enter(open)).rejects.toThrow('too many')
  leave()
  ;(await queued)()
  expect([slots.active, slots.queued]).toEqual([0, 0])
})

test('who leaves takes no place: before, while waiting, and in the moment of its turn', async () => {
  const slots = new Slots(1)
  const leave = await slots.enter(open)
  const [leaving, late] = [new AbortController(), new AbortController()]
  const left = slots.enter(leaving.signal)
  const tooLate = slots.enter(late.signal)
  const stays = slots.enter(open)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(slots.enter(leaving.signal)).rejects.toThrow('gone')
  leave()
  late.abort(new Error('gone too'))
  await expect(tooLate).rejects.toThrow('gone too')
  ;(await stays)()
  expect([slots.active, slots.queued]).toEqual([0, 0])
})

test('a place is given back once, however often its holder says so', async () => {
  const slots = new Slots(2)
  const leave = await slots.enter(open)
  await slots.enter(open)
  leave()
  leave()
  expect(slots.active).toBe(1)
})
