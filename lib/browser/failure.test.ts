import { expect, test } from 'vitest'
import { CapReached, failureOf, isSessionOver } from '@/lib/browser/failure'
import { ApiError } from '@/lib/contract/errors'
import { usd } from '@/lib/contract/money'

const DISCOVERY = new ApiError('PAYMENT_REQUIRED', 'Payment required', { body: { x402Version: 2, accepts: [{}] } })
const UNPAID = new ApiError('PAYMENT_REQUIRED', 'Payment required', {
  headers: { 'cf-ray': 'abc-LGN' },
  body: { code: 'PAYMENT_REQUIRED', reason: 'insufficient_balance', currentBalanceUsd: 0.01, minimumBalanceUsd: 0.1 },
})

test('a wallet without credit hears what there is and what is needed', () => {
  expect(failureOf(UNPAID, 7)).toEqual({
    code: 'PAYMENT_REQUIRED',
    message: 'Payment required',
    at: 7,
    requestId: 'abc-LGN',
    credit: { balance: usd('0.01'), minimum: usd('0.1') },
  })
  expect(isSessionOver(UNPAID)).toBe(false)
})

test('who sends no proof at all has to sign in, and is not short of credit', () => {
  expect(failureOf(DISCOVERY, 7)).toMatchObject({ code: 'SIGN_IN_NEEDED', at: 7 })
  expect(isSessionOver(DISCOVERY)).toBe(true)
  expect(isSessionOver(new ApiError('AUTHENTICATION_FAILED', 'No'))).toBe(true)
  expect(isSessionOver(new TypeError('Failed to fetch'))).toBe(false)
})

test('a cap and a lost connection are failures too', () => {
  expect(failureOf(new CapReached('CAP_PER_DAY', 'Reached.'), 7)).toEqual({
    code: 'CAP_PER_DAY',
    message: 'Reached.',
    at: 7,
  })
  expect(failureOf(new TypeError('Failed to fetch'))).toMatchObject({ code: 'CONNECTION_LOST' })
})
