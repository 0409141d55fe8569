import { expect, test } from 'vitest'
import { createLedger, MAX_ACCOUNT_BYTES, openMemoryReservation } from '@/lib/services/media/memory-budget'

const NEVER = new AbortController().signal
const failure = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('an account has so much in hand over all its requests, and no more', () => {
  const ledger = createLedger()
  const [first, second] = [openMemoryReservation('a', ledger), openMemoryReservation('a', ledger)]
  first.reserve(MAX_ACCOUNT_BYTES)
  expect(failure(() => second.reserve(1))).toMatchObject({ name: 'MediaError', reason: 'busy' })
  first.close()
  second.reserve(1)
  expect(ledger.bytes).toBe(1)
})

test('one account leaves room for another, and all together have a bound too', () => {
  const ledger = createLedger()
  for (const name of ['a', 'b']) openMemoryReservation(name, ledger).reserve(MAX_ACCOUNT_BYTES)
  expect(failure(() => openMemoryReservation('c', ledger).reserve(2))).toMatchObject({ reason: 'busy' })
})

test('what was given back, or is closed with its request, counts once', () => {
  const ledger = createLedger()
  const memory = openMemoryReservation('a', ledger)
  const giveBack = memory.reserve(100)
  memory.reserve(10)
  giveBack()
  giveBack()
  expect(ledger.bytes).toBe(10)
  memory.close()
  memory.close()
  expect(ledger).toEqual({ bytes: 0, accounts: new Map() })
})

test('what is still under way when a request has ended takes nothing any more', () => {
  const ledger = createLedger()
  const memory = openMemoryReservation('a', ledger)
  const giveBack = memory.reserve(100)
  memory.close()
  giveBack()
  expect(failure(() => memory.reserve(1))).toMatchObject({ reason: 'busy' })
  expect(ledger.bytes).toBe(0)
})

test('an account reads four files at a time over all its requests; others need not wait for it', async () => {
  const ledger = createLedger()
  const [first, second, other] = [
    openMemoryReservation('a', ledger),
    openMemoryReservation('a', ledger),
    openMemoryReservation('b', ledger),
  ]
  const ends = await Promise.all([1, 2, 3, 4].map(() => first.turn('file', NEVER)))
  const order: string[] = []
  const waiting = second.turn('file', NEVER).then(() => order.push('its fifth'))
  await other.turn('file', NEVER).then(() => order.push("another's"))
  await second.turn('page', NEVER).then(() => order.push('a page'))
  ends[0]?.()
  await waiting
  expect(order).toEqual(["another's", 'a page', 'its fifth'])
})

test('who leaves while waiting for a turn takes none', async () => {
  const ledger = createLedger()
  const memory = openMemoryReservation('a', ledger)
  const ends = await Promise.all([1, 2, 3, 4].map(() => memory.turn('file', NEVER)))
  const leaving = new AbortController()
  const left = memory.turn('file', leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  for (const end of ends) end()
  await Promise.all([1, 2, 3, 4].map(() => memory.turn('file', NEVER)))
})
