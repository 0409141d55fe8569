import { expect, test } from 'vitest'
import { limitOf } from '@/lib/services/rpc-nodes/node-outcome'
import { scan } from '@/lib/services/rpc-nodes/reply'

const limit = (reply: unknown) => limitOf(scan(Buffer.from(JSON.stringify(reply)))!)
const error = (code: number, message: string) => ({ jsonrpc: '2.0', id: 1, error: { code, message } })

test.each([
  [-32029, 'Too Many Requests'],
  [429, 'slow down'],
  [-32016, 'over rate limit'],
  [-32000, 'Monthly capacity limit exceeded. Visit us to upgrade.'],
  [-32001, 'You exceeded your quota'],
  [-32005, 'daily request count exceeded, request rate limited'],
])('%i "%s" is about how often we ask', (code, message) => {
  expect(limit(error(code, message))).toBe('rate')
})

test('-32005 by itself is about how much was asked for', () => {
  expect(limit(error(-32005, 'query returned more than 10000 results'))).toBe('size')
})

test.each([
  [3, 'execution reverted: daily limit exceeded'],
  [-32000, 'exceeds block gas limit'],
  [-32602, 'invalid params'],
])('%i "%s" is the chain’s answer', (code, message) => {
  expect(limit(error(code, message))).toBeUndefined()
})

test('a result is none, whatever it says, and a batch is taken as it is', () => {
  expect(limit({ id: 1, result: 'rate limit' })).toBeUndefined()
  expect(limit([error(429, 'Too many requests')])).toBeUndefined()
})
