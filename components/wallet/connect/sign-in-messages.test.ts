import { expect, test } from 'vitest'
import { signInProblem } from '@/components/wallet/connect/sign-in-messages'
import { WalletError } from '@/lib/browser/wallet-port'
import { ApiError } from '@/lib/contract/errors'

test('asks for a new signature, and a new code, when the old one ran out', () => {
  const problem = signInProblem(new ApiError('X402_SIGN_IN_EXPIRED', 'Expired.'))
  expect(problem).toMatchObject({ needsChallenge: true, isFinal: false, code: 'X402_SIGN_IN_EXPIRED' })
  expect(problem.message).toMatch(/expired\. Sign again/)
})

test('shows the service’s own words where there are no better ones, with the id for a report', () => {
  const refusal = new ApiError('X402_SIGN_IN_FUTURE_TIMESTAMP', 'Issued in the future.', {
    headers: { 'cf-ray': 'r1' },
  })
  expect(signInProblem(refusal)).toEqual({
    message: 'Issued in the future.',
    code: 'X402_SIGN_IN_FUTURE_TIMESTAMP',
    requestId: 'r1',
    needsChallenge: true,
    isFinal: false,
  })
})

test('names no code of the service when the service was not reached', () => {
  expect(signInProblem(new TypeError('fetch failed'))).toEqual({
    message: 'The service could not be reached.',
    needsChallenge: false,
    isFinal: false,
  })
})

test('offers no second try with a wallet that lacks what is needed', () => {
  expect(signInProblem(new WalletError('unsupported', 'Quiet cannot sign a text.')).isFinal).toBe(true)
  expect(signInProblem(new WalletError('rejected', 'You declined the request. Nothing was changed.')).isFinal).toBe(
    false,
  )
})

test('keeps the code while the person only closed the wallet’s window', () => {
  expect(signInProblem(new WalletError('rejected', 'Nothing happened.')).needsChallenge).toBe(false)
})
