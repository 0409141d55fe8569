import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano, perUnit, type Usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { createSideCosts } from '@/lib/endpoints/chat/price'
import { hold } from '@/lib/services/ledger/ledger'
import { createMeter } from '@/lib/services/ledger/meter'
import { InsufficientBalance } from '@/lib/services/ledger/refusal'
import { makeAccount } from '@/lib/services/ledger/testing'

const database = await testDatabase()

async function sideCostsFor(credit: bigint, tokens: () => Usd = () => nano(100n)) {
  const accountId = await makeAccount(database, { USD: credit })
  const meter = createMeter(await hold({ accountId, requestId: uuid(), amount: nano(100n) }))
  return { sideCosts: createSideCosts(meter, tokens), held: () => meter.hold.amount }
}

test('each thing is set aside on top of the conversation and of all things before it', async () => {
  const { sideCosts, held } = await sideCostsFor(1_000n)
  await sideCosts.reserve(nano(10n))
  expect(held()).toBe(110n)
  await sideCosts.reserve(nano(5n))
  expect(held()).toBe(115n)
  await sideCosts.reserve(nano(0n))
  expect(held()).toBe(115n)
})

test('what the conversation costs is looked up each time', async () => {
  let tokens = 50n
  const { sideCosts, held } = await sideCostsFor(1_000n, () => nano(tokens))
  await sideCosts.reserve(nano(10n))
  expect(held()).toBe(100n)
  tokens = 300n
  await sideCosts.reserve(nano(5n))
  expect(held()).toBe(315n)
})

test('of those that come at once, as many are granted as the credit reaches for', async () => {
  const { sideCosts, held } = await sideCostsFor(149n)
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => sideCosts.reserve(nano(10n))))
  expect(results.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), ...Array(4).fill('rejected')])
  expect(results.at(-1)).toMatchObject({ reason: expect.any(InsufficientBalance) })
  expect(held()).toBe(140n)
})

test('what was done stays in its order; setting aside alone spends nothing', async () => {
  const { sideCosts } = await sideCostsFor(1_000n)
  await sideCosts.reserve(nano(1n))
  expect(sideCosts.lines).toEqual([])
  const line = (sku: string) => ({ sku, units: 1, price: perUnit(0.01) })
  sideCosts.spend([line('a'), line('b')])
  sideCosts.spend([])
  sideCosts.spend([line('a')])
  expect(sideCosts.lines.map(({ sku }) => sku)).toEqual(['a', 'b', 'a'])
})
