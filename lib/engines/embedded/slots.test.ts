import { describe, expect, test } from 'vitest'
import { Slots } from '@/lib/engines/embedded/slots'

const open = new AbortController().signal

describe('places with a queue in front', () => {
  test('are given in the order of asking', async () => {
    const slots = new Slots(1, 2)
    const order: string[] = []
    const leave = await slots.enter(open)
    const waiting = ['first', 'second'].map(async (name) => {
      const leaveToo = await slots.enter(open)
      order.push(name)
      leaveToo()
    })
    leave()
    await Promise.all(waiting)
    expect(order).toEqual(['first', 'second'])
    expect(slots.active).toBe(0)
  })

  test('refuse at once when the queue is full, and say when to come back', async () => {
    const slots = new Slots(1, 1)
    const leave = await slots.enter(open)
    const queued = slots.enter(open)
    await expect(slots.enter(open)).rejects.toMatchObject({ reason: 'at-capacity', retryAfterSeconds: 5 })
    leave()
    ;(await queued)()
  })

  test('are not given to one who left the queue', async () => {
    const slots = new Slots(1, 1)
    const leave = await slots.enter(open)
    const leaving = new AbortController()
    const queued = slots.enter(leaving.signal)
    leaving.abort(new Error('gone'))
    await expect(queued).rejects.toThrow('gone')
    expect(slots.queued).toBe(0)
    leave()
    expect(slots.active).toBe(0)
  })

  test('are given back once, however often their holder says so', async () => {
    const slots = new Slots(2, 1)
    const leave = await slots.enter(open)
    await slots.enter(open)
    leave()
    leave()
    expect(slots.active).toBe(1)
  })
})
