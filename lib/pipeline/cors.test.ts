import { expect, test } from 'vitest'
import { preflightHeaders } from '@/lib/pipeline/cors'

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
