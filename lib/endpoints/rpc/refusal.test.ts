import { expect, test } from 'vitest'
import { limitReached } from '@/lib/endpoints/rpc/daily-credits'
import { errorReply } from '@/lib/pipeline/error-response'

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
