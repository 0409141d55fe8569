import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { enterRpc } from '@/lib/endpoints/rpc/call'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { testCaller, testContext } from '@/lib/services/identity/testing'
import { parseLimits } from '@/lib/services/limits/limits-file'

await testDatabase()

afterEach(() => void resetPerProcess('limits'))

const allow = (concurrencyPerUser: number) => {
  resetPerProcess('limits')
  perProcess('limits', () => parseLimits(`cryptoRpc: { concurrencyPerUser: ${concurrencyPerUser} }`))
}

const caller = testCaller()
const enter = () => enterRpc(testContext(), caller, { requests: 1, credits: 1 })

test('a turn that does not come in time is refused, with the cap named', async () => {
  const leave = await enter()
  const refusal = enter()
  await expect(refusal).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429, retryAfterSeconds: 1 })
  await expect(refusal).rejects.toMatchObject({
    body: {
      error: expect.any(String),
      code: 'RATE_LIMIT_EXCEEDED',
      customMessage: expect.stringMatching(/^Concurrency cap: one JSON-RPC request at a time/),
    },
  })
  leave()
  ;(await enter())()
})

test('an operator may allow several at a time, or any number', async () => {
  allow(3)
  const three = await Promise.all([1, 2, 3].map(enter))
  await expect(enter()).rejects.toMatchObject({
    body: { customMessage: expect.stringContaining('3 JSON-RPC requests at a time') },
  })
  for (const leave of three) leave()
  allow(0)
  const many = await Promise.all(Array.from({ length: 50 }, enter))
  for (const leave of many) leave()
})
