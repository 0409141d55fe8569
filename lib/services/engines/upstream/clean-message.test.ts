import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanMessage } from '@/lib/services/engines/upstream/failures'

test.each([
  ['top_k must be at least 0, got -3', 'top_k must be at least 0, got -3'],
  ['see https://10.0.0.5:8000/v1?key=1 for help', 'see … for help'],
  ['at 10.0.0.5:8000 refused', 'at … refused'],
  ['Authorization: Bearer abc.def', 'Authorization: … …'],
  ['key sk-proj-AbCdEf123456 is bad', 'key … is bad'],
  ['ask ops@example.com', 'ask …'],
  ['api_key: abc is wrong', 'api_key: … is wrong'],
  ['max tokens must be 5', 'max tokens must be 5'],
  ['in /usr/lib/python3/site-packages/vllm/x.py line 3', 'in … line 3'],
  ['my-own-secret leaked', '… leaked'],
  ['a\r\nb\u0000c\u202Ed', 'a b c d'],
  [`value ${'a'.repeat(200)} too long`, 'value … too long'],
])('%j', (text, clean) => {
  expect(cleanMessage(text, ['my-own-secret', ''])).toBe(clean)
})

test('is short, on one line, and without the secret, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 400 }),
      (before, after) => {
        const clean = cleanMessage(`${before}s3cr3t-of-ours${after}`, ['s3cr3t-of-ours'])
        expect(clean).not.toContain('s3cr3t-of-ours')
        expect(clean).not.toMatch(/\p{Cc}/u)
        expect(clean.length).toBeLessThanOrEqual(301)
      },
    ),
  )
})

// So long that quadratic time is minutes, more than a test may take.
test.each(['a', 'a.', 'a-', '1.', ':', '/a', 'key=', '@a', 'a:b'])('takes linear time on hostile text: %s', (unit) => {
  expect(cleanMessage(unit.repeat(400_000), [])).toBe('…')
})
