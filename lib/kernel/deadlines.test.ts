import { expect, test, vi } from 'vitest'
import { type Deadline, unwatch, watch } from '@/lib/kernel/deadlines'
import { eventually } from '@/lib/kernel/testing/time'

const due = (inMs: number) => ({ at: performance.now() + inMs, expire: vi.fn<Deadline['expire']>() })

test('a deadline expires once, and may be set anew by whoever is told', async () => {
  const again = Promise.withResolvers<void>()
  const deadline = due(0)
  deadline.expire.mockImplementation(() => {
    if (deadline.expire.mock.calls.length === 1) deadline.at = performance.now()
    else again.resolve()
  })
  watch(deadline)
  await again.promise
  const other = due(50)
  watch(other)
  await eventually(() => expect(other.expire).toHaveBeenCalled())
  expect(deadline.expire).toHaveBeenCalledTimes(2)
  unwatch(deadline)
  unwatch(other)
})

test('one that is no longer watched does not', async () => {
  const [left, kept] = [due(20), due(40)]
  watch(left)
  watch(kept)
  unwatch(left)
  await eventually(() => expect(kept.expire).toHaveBeenCalled())
  expect(left.expire).not.toHaveBeenCalled()
  unwatch(kept)
})

test('watching goes on after nobody was watched for a while', async () => {
  await new Promise((resolve) => setTimeout(resolve, 60))
  const deadline = due(0)
  watch(deadline)
  await eventually(() => expect(deadline.expire).toHaveBeenCalled())
  unwatch(deadline)
})
