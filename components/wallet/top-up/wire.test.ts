import { afterEach, expect, test, vi } from 'vitest'
import type { PendingPayment } from '@/components/wallet/top-up/top-up'
import { fetchRequirements, sendPayment } from '@/components/wallet/top-up/wire'

const PAYMENT: PendingPayment = {
  id: '1',
  wallet: '0x12',
  family: 'evm',
  units: 5_000_000n,
  header: 'abc',
  signedAt: 0,
}

afterEach(() => vi.unstubAllGlobals())

function answerWith(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const fetch = vi.fn(async (_path: string, _init: RequestInit) => new Response(text, { status, headers }))
  vi.stubGlobal('fetch', fetch)
  return fetch
}

test('a 402 is what the requirements come with', async () => {
  const accepts = [{ scheme: 'exact', network: 'eip155:8453' }]
  const fetch = answerWith(402, { x402Version: 2, accepts })
  expect(await fetchRequirements()).toEqual({ x402Version: 2, accepts })
  expect(fetch.mock.calls[0]?.[0]).toBe('/api/v1/x402/top-up')
  expect(fetch.mock.calls[0]?.[1].headers).toBeUndefined()
})

test.each([
  ['no rail', 402, { x402Version: 2, accepts: [] }, 'PAYMENT_REQUIRED'],
  ['not configured', 503, { error: 'X402_NOT_CONFIGURED', message: 'No payments.' }, 'X402_NOT_CONFIGURED'],
  ['a limit', 429, { error: 'Too many', code: 'RATE_LIMIT_EXCEEDED' }, 'RATE_LIMIT_EXCEEDED'],
  ['an unexpected success', 200, { success: true }, 'X402_NOT_CONFIGURED'],
])('other replies offer nothing: %s', async (_name, status, body, code) => {
  answerWith(status, body)
  await expect(fetchRequirements()).rejects.toMatchObject({ code })
})

test('a credit is read with its transaction', async () => {
  const settled = btoa(JSON.stringify({ success: true, network: 'eip155:8453', payer: '0x12', transaction: '0xfeed' }))
  const data = { walletAddress: '0x12', amountCredited: 5, newBalance: 5.25, paymentId: 'payment_1' }
  const fetch = answerWith(200, { success: true, data }, { 'PAYMENT-RESPONSE': settled })
  expect(await sendPayment(PAYMENT)).toEqual({
    kind: 'credited',
    receipt: { amountUsd: 5, newBalanceUsd: 5.25, paymentId: 'payment_1', transaction: '0xfeed', family: 'evm' },
  })
  expect(fetch.mock.calls[0]?.[1].headers).toEqual({ 'PAYMENT-SIGNATURE': 'abc' })
})

test.each([
  [402, 'SETTLEMENT_FAILED', 'Refused.', 'settlement-failed'],
  [400, 'PAYMENT_VERIFICATION_FAILED', 'invalid_exact_evm_signature', 'refused'],
  [400, 'PAYMENT_VERIFICATION_FAILED', 'invalid_exact_evm_insufficient_balance', 'short'],
  [400, 'PAYMENT_VERIFICATION_FAILED', 'invalid_exact_evm_payload_authorization_valid_before', 'expired'],
  [400, 'INVALID_PAYMENT_RECIPIENT', 'Wrong receiver.', 'refused'],
  [400, 'AMOUNT_TOO_LOW', 'At least 5 USD.', 'amount'],
  [400, 'INVALID_AMOUNT', 'No.', 'amount'],
  [409, 'PAYMENT_ALREADY_CREDITED', 'Done before.', 'already-credited'],
  [503, 'X402_NOT_CONFIGURED', 'No payments.', 'not-offered'],
])('a refusal is one: %i %s (%s)', async (status, error, message, kind) => {
  answerWith(status, { error, message })
  expect(await sendPayment(PAYMENT)).toMatchObject({ kind: 'refused', problem: { kind, message } })
})

test('a payment whose outcome is open is waited for as long as the service says, and keeps its id', async () => {
  const body = { error: 'SETTLEMENT_PENDING', message: 'Wait.', details: { paymentId: 'payment_9' } }
  answerWith(503, body, { 'retry-after': '7' })
  expect(await sendPayment(PAYMENT)).toEqual({
    kind: 'unknown',
    why: 'pending',
    retryAfterMs: 7_000,
    paymentId: 'payment_9',
  })
})

test.each([
  ['being settled', 409, { error: 'PAYMENT_IN_PROGRESS', message: 'Wait.' }, {}, 'in-progress'],
  ['too many requests', 429, { error: 'Slow down' }, { 'retry-after': '30' }, 'busy'],
  ['a proxy that gave up', 502, '<html>Bad gateway</html>', {}, 'pending'],
  ['a server that failed', 500, { error: 'Unknown' }, {}, 'pending'],
  ['a success that was cut off', 200, '{"success": tr', {}, 'lost'],
])('all else leaves the outcome open: %s', async (_name, status, body, headers, why) => {
  answerWith(status, body, headers as Record<string, string>)
  expect(await sendPayment(PAYMENT)).toMatchObject({ kind: 'unknown', why })
})

test('a wait is neither a hammer nor an hour', async () => {
  answerWith(409, { error: 'PAYMENT_IN_PROGRESS', message: '' }, { 'retry-after': '0' })
  expect(await sendPayment(PAYMENT)).toMatchObject({ retryAfterMs: 2_000 })
  answerWith(409, { error: 'PAYMENT_IN_PROGRESS', message: '' }, { 'retry-after': '86400' })
  expect(await sendPayment(PAYMENT)).toMatchObject({ retryAfterMs: 60_000 })
})

test('a network that is gone leaves the outcome open', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  expect(await sendPayment(PAYMENT)).toMatchObject({ kind: 'unknown', why: 'lost' })
})
