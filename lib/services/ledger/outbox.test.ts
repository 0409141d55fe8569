import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pico } from '@/lib/contract/money'
import type { ChargeLine } from '@/lib/services/ledger/ledger-types'
import { chargeOf } from '@/lib/services/ledger/meter'
import { createTotal } from '@/lib/services/ledger/outbox'
import { chargeOfNano } from '@/lib/services/ledger/testing'

describe('a total of charges', () => {
  const line = fc.record({
    sku: fc.constantFrom('a', 'b', 'c'),
    units: fc.nat({ max: 5_000 }),
    price: fc.constantFrom(pico(1n), pico(700n), pico(700_001n)),
  })
  const charges = fc.array(fc.array(line, { maxLength: 4 }).map(chargeOf), { maxLength: 30 })
  const sum = (lines: ChargeLine[]) => lines.reduce((total, { amount }) => total + amount, 0n)

  test('is what they are together, to the last nano-dollar, also line by line', () => {
    fc.assert(
      fc.property(charges, (list) => {
        const total = createTotal()
        for (const charge of list) total.add(charge)
        const { amount, lines } = total.charge()
        expect(amount).toBe(list.reduce((all, charge) => all + charge.amount, 0n))
        expect(sum(lines)).toBe(amount)
        expect(new Set(lines.map(({ sku, price }) => `${sku} ${price}`)).size).toBe(lines.length)
        const units = (all: ChargeLine[]) => all.reduce((total, line) => total + line.units, 0)
        expect(units(lines)).toBe(units(list.flatMap((charge) => charge.lines)))
      }),
    )
  })

  test('counts the calls of each method, and changes nothing that was read before', () => {
    const total = createTotal()
    const add = (calls: Record<string, number>) =>
      total.add(chargeOf([{ sku: 'crypto-rpc-base-mainnet', units: 20, price: pico(700_000n), calls }]))
    add({ eth_call: 1 })
    const early = total.charge().lines.map((line) => ({ ...line }))
    add({ eth_call: 1, eth_gasPrice: 2 })
    expect(total.charge().lines).toMatchObject([{ units: 40, calls: { eth_call: 2, eth_gasPrice: 2 } }])
    expect(early).toMatchObject([{ units: 20, calls: { eth_call: 1 } }])
  })

  test('says of which model and how long only what is true of all', () => {
    const total = createTotal()
    total.add({ ...chargeOfNano(1n), durationMs: 5 })
    expect(total.charge()).toMatchObject({ modelId: 'test', modelType: 'text', promptTokens: 1, durationMs: 5 })
    total.add({ ...chargeOfNano(2n), modelId: 'other', durationMs: 3, isEstimated: true })
    expect(total.charge()).toMatchObject({
      modelId: undefined,
      modelType: 'text',
      promptTokens: 2,
      completionTokens: 4,
      durationMs: 5,
      isEstimated: true,
    })
  })
})
