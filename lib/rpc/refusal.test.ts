import { expect, test } from 'vitest'
import { errorReply } from '@/lib/api/error-response'
import { limitReached } from '@/lib/rpc/refusal'

test('a cap that is reached is a 429 with its name in customMessage, and says when to come back', () => {
  const { status, body, headers } = errorReply(limitReached('Too much.', 'Daily cap: 5.', 1.2))
  expect(status).toBe(429)
  expect(JSON.parse(String(body))).toEqual({
    error: 'Too much.',
    code: 'RATE_LIMIT_EXCEEDED',
    customMessage: 'Daily cap: 5.',
  })
  expect(headers).toEqual({ 'Retry-After': '2' })
})
