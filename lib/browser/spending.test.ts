import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { capNotice } from '@/lib/browser/spending'
import { db } from '@/lib/browser/storage/database'
import { addSpending } from '@/lib/browser/storage/spending'
import { nano, usd } from '@/lib/contract/money'

let cap = ''

beforeEach(async () => {
  cap = '1'
  vi.stubGlobal('localStorage', { getItem: (name: string) => (name === 'lagoon:capPerDay' ? cap : null) })
  await db.spending.clear()
})
afterEach(() => vi.unstubAllGlobals())

async function spend(dollars: string): Promise<string | undefined> {
  await addSpending({ at: Date.now(), cost: usd(dollars) })
  return await capNotice(usd(dollars))
}

const used = (percent: number) => `${percent}% of your daily spending cap of $1.00 used.`

test('each of 50, 80 and 95 % is told once, when a payment reaches it', async () => {
  expect(await spend('0.49')).toBeUndefined()
  expect(await spend('0.01')).toBe(used(50))
  expect(await spend('0.25')).toBeUndefined()
  expect(await spend('0.1')).toBe(used(80))
  expect(await spend('0.11')).toBe(used(95))
  expect(await spend('0.01')).toBeUndefined()
})

test('of several levels at once the highest is told, of the whole cap none', async () => {
  expect(await spend('0.9')).toBe(used(80))
  expect(await spend('0.1')).toBeUndefined()
})

test('without a cap nothing is told', async () => {
  cap = ''
  expect(await spend('5')).toBeUndefined()
  expect(await capNotice(nano(1n))).toBeUndefined()
})
