import { describe, expect, test } from 'vitest'
import { usd } from '@/lib/contract/money'
import { preflightHeaders, replyHeaders } from '@/lib/pipeline/headers'
import { testContext } from '@/lib/services/identity/testing'

describe('a payment that came with the request', () => {
  test('has its result on the reply', () => {
    const context = testContext({ headers: { 'payment-signature': 'e30=' } })
    context.facts.paymentResponse = 'eyJzdWNjZXNzIjp0cnVlfQ=='
    const headers = replyHeaders(context)
    expect(headers['PAYMENT-RESPONSE']).toBe('eyJzdWNjZXNzIjp0cnVlfQ==')
    expect(headers).not.toHaveProperty('X-PAYMENT-RESPONSE')
  })

  test('has it under the name of version 1 too, when it came under that', () => {
    const context = testContext({ headers: { 'x-payment': 'e30=' } })
    context.facts.paymentResponse = 'eyJzdWNjZXNzIjp0cnVlfQ=='
    expect(replyHeaders(context)).toMatchObject({
      'PAYMENT-RESPONSE': 'eyJzdWNjZXNzIjp0cnVlfQ==',
      'X-PAYMENT-RESPONSE': 'eyJzdWNjZXNzIjp0cnVlfQ==',
    })
  })

  test('that was not settled has none', () => {
    const headers = replyHeaders(testContext({ headers: { 'x-payment': 'e30=' } }))
    expect(Object.keys(headers).join()).not.toMatch(/payment-response/i)
  })
})

test('what remains has six decimals and is never rounded up', () => {
  const context = testContext()
  context.facts.balanceRemaining = usd('4.229999999')
  expect(replyHeaders(context)['X-Balance-Remaining']).toBe('4.229999')
})

test('a page of any origin may send every credential and read every header', () => {
  expect(preflightHeaders(null)).toEqual({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': '*',
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers':
      'authorization, content-type, accept, accept-encoding, sign-in-with-x, x-sign-in-with-x, payment-signature, x-402-payment, x-payment, idempotency-key',
    'Access-Control-Max-Age': '86400',
  })
})

test('a page may send the headers that its client sends, whatever they are called', () => {
  const requested = 'authorization,content-type,user-agent,x-service-middleface-version,x-stainless-retry-count'
  const headers = preflightHeaders(requested)
  expect(headers['Access-Control-Allow-Headers']).toBe(requested)
  expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': '*', Vary: 'Access-Control-Request-Headers' })
  expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials')
})

test.each(['', 'a b', 'a,,b', 'a\r\nset-cookie: x', 'x'.repeat(5_000)])(
  'what is no list of headers is not repeated (%#)',
  (requested) => {
    expect(preflightHeaders(requested)).toEqual(preflightHeaders(null))
  },
)
