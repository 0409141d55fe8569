import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { perProcess } from '@/lib/kernel/per-process'
import { takeTurn } from '@/lib/services/limits/concurrency'

const NEVER = new AbortController().signal
const BUSY = new Error('another request is still running')

const takeTurnOf = (account: string, signal: AbortSignal, places = 1) => takeTurn(account, places, signal, () => BUSY)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  // Nobody may leave anything behind: not a timer, not a name.
  expect(vi.getTimerCount()).toBe(0)
  expect(perProcess('turns', () => new Map()).size).toBe(0)
  vi.useRealTimers()
})

function enter(account: string, signal = NEVER, places = 1) {
  const entry: { leave?: () => void; error?: unknown; done: Promise<void> } = { done: Promise.resolve() }
  entry.done = takeTurnOf(account, signal, places).then(
    (leave) => void Object.assign(entry, { leave }),
    (error: unknown) => void Object.assign(entry, { error }),
  )
  return entry
}

const turn = () => vi.advanceTimersByTimeAsync(0)

test('who need not wait starts no timer', async () => {
  const leave = await takeTurnOf(uuid(), NEVER)
  expect(vi.getTimerCount()).toBe(0)
  leave()
})

test('requests of one account take turns in the order they came', async () => {
  const account = uuid()
  const order: number[] = []
  const entries = Array.from({ length: 5 }, (_, n) =>
    takeTurnOf(account, NEVER).then((leave) => {
      order.push(n)
      return leave
    }),
  )
  for (const [n, entry] of entries.entries()) {
    const leave = await entry
    await turn()
    expect(order).toEqual(Array.from({ length: n + 1 }, (_, k) => k))
    leave()
  }
})

test('accounts do not wait for each other', async () => {
  const leaves = await Promise.all(Array.from({ length: 20 }, () => takeTurnOf(uuid(), NEVER)))
  for (const leave of leaves) leave()
})

test('a turn that does not come in half a second is refused', async () => {
  const account = uuid()
  const leave = await takeTurnOf(account, NEVER)
  const late = enter(account)
  await vi.advanceTimersByTimeAsync(499)
  expect(late.error).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(late.error).toBe(BUSY)
  leave()
  ;(await takeTurnOf(account, NEVER))()
})

test('leaving twice lets one in, not two', async () => {
  const account = uuid()
  const leave = await takeTurnOf(account, NEVER)
  const [second, third] = [enter(account), enter(account)]
  leave()
  leave()
  await turn()
  expect([second.leave, third.leave].map((given) => given !== undefined)).toEqual([true, false])
  leave()
  await turn()
  expect(third.leave).toBeUndefined()
  second.leave?.()
  await third.done
  third.leave?.()
})

test('a late second leave does not open the turn of a later request', async () => {
  const account = uuid()
  const first = await takeTurnOf(account, NEVER)
  first()
  const second = await takeTurnOf(account, NEVER)
  first()
  const third = enter(account)
  await turn()
  expect(third.leave).toBeUndefined()
  second()
  await third.done
  third.leave?.()
})

test('who leaves the queue by its signal is told its reason, and the next one moves up', async () => {
  const account = uuid()
  const leave = await takeTurnOf(account, NEVER)
  const client = new AbortController()
  const [gone, next] = [enter(account, client.signal), enter(account)]
  client.abort(new Error('the client left'))
  await gone.done
  expect(gone.error).toMatchObject({ message: 'the client left' })
  leave()
  await next.done
  next.leave?.()
})

test('a turn that comes in the moment its request is aborted goes on to the next', async () => {
  const account = uuid()
  const leave = await takeTurnOf(account, NEVER)
  const client = new AbortController()
  const [gone, next] = [enter(account, client.signal), enter(account)]
  leave()
  client.abort(new Error('the client left'))
  await Promise.all([gone.done, next.done])
  expect(gone.leave).toBeUndefined()
  next.leave?.()
})

test('a request whose client is gone takes no turn', async () => {
  const gone = AbortSignal.abort(new Error('the client left'))
  await expect(takeTurnOf(uuid(), gone)).rejects.toThrow('the client left')
  await expect(takeTurnOf(uuid(), gone, 0)).rejects.toThrow('the client left')
})

test('the fifty-first who waits is refused at once', async () => {
  const account = uuid()
  const leave = await takeTurnOf(account, NEVER)
  const waiting = Array.from({ length: 50 }, () => enter(account))
  const refused = enter(account)
  await turn()
  expect(refused.error).toBe(BUSY)
  expect(waiting.some(({ error }) => error !== undefined)).toBe(false)
  leave()
  for (const entry of waiting) {
    await entry.done
    expect(entry.error).toBeUndefined()
    entry.leave?.()
  }
})

test('several places let several in at a time, and 0 any number', async () => {
  const account = uuid()
  const three = await Promise.all([1, 2, 3].map(() => takeTurnOf(account, NEVER, 3)))
  const fourth = enter(account, NEVER, 3)
  await vi.advanceTimersByTimeAsync(500)
  expect(fourth.error).toBe(BUSY)
  for (const leave of three) leave()
  const many = await Promise.all(Array.from({ length: 200 }, () => takeTurnOf(account, NEVER, 0)))
  for (const leave of many) leave()
})
