import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dropPayment, keepPayment, pendingPayments } from '@/components/wallet/top-up/pending-payments'
import type { PendingPayment } from '@/components/wallet/top-up/top-up'

const PAYMENT: PendingPayment = { id: 'a', wallet: '0x12', family: 'evm', units: 10_000_000n, header: 'h', signedAt: 1 }

beforeEach(() => {
  const storage = Object.create({
    getItem: (key: string) => storage[key] ?? null,
    setItem: (key: string, value: string) => {
      storage[key] = value
    },
    removeItem: (key: string) => {
      delete storage[key]
    },
  })
  vi.stubGlobal('localStorage', storage)
})
afterEach(() => vi.unstubAllGlobals())

test('a payment is found again as it was, latest first, until it is dropped', () => {
  keepPayment(PAYMENT)
  keepPayment({ ...PAYMENT, id: 'b', signedAt: 2 })
  keepPayment({ ...PAYMENT, paymentId: 'payment_1' })
  expect(pendingPayments()).toEqual([
    { ...PAYMENT, id: 'b', signedAt: 2 },
    { ...PAYMENT, paymentId: 'payment_1' },
  ])
  dropPayment('b')
  dropPayment('a')
  expect(pendingPayments()).toEqual([])
})

test('what cannot be read is left out, and other keys are nobody’s payment', () => {
  localStorage.setItem('lagoon:payment:x', '{"header":')
  localStorage.setItem('lagoon:payment:y', '{"header":"h","units":"many"}')
  localStorage.setItem('lagoon:theme', 'dark')
  expect(pendingPayments()).toEqual([])
})

test('without storage nothing is kept, and nothing breaks', () => {
  vi.stubGlobal('localStorage', undefined)
  keepPayment(PAYMENT)
  dropPayment('a')
  expect(pendingPayments()).toEqual([])
})
