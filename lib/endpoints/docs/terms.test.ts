import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { reference } from '@/lib/endpoints/docs/reference'
import { hasPrice, termsOf } from '@/lib/endpoints/docs/terms'
import { type Config, config, parseConfig } from '@/lib/kernel/config'
import { resetPerProcess } from '@/lib/kernel/per-process'

const operations = reference().groups.flatMap((group) => group.operations)

const holder = globalThis as { __serviceConfig?: Config }
const before = config()

afterEach(() => {
  holder.__serviceConfig = before
  resetPerProcess('limits')
})

test('whatever asks for money says its price', () => {
  expect(operations.filter(({ access, id }) => access === 'paid' && !hasPrice(id)).map(({ id }) => id)).toEqual([])
  expect(operations.filter(({ access, id }) => access !== 'paid' && hasPrice(id)).map(({ id }) => id)).toEqual([])
})

test('limits and prices are those of this server', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'docs-limits-')), 'limits.yaml')
  writeFileSync(
    file,
    'types: { embedding: 1234 }\nroutes: { crypto-rpc: 0, top-up: 7 }\ncryptoRpc: { creditsPerDay: 0 }\n',
  )
  holder.__serviceConfig = parseConfig({ RATE_LIMITS_FILE: file, RPC_CREDIT_USD: '0.000001', LOG_LEVEL: 'silent' })
  resetPerProcess('limits')
  expect(termsOf({ id: 'createEmbeddings', access: 'paid' }).limit).toBe(
    '1,234 requests per minute per account and model.',
  )
  expect(termsOf({ id: 'callRpc', access: 'paid' })).toMatchObject({
    price: expect.stringContaining('Ten million credits cost 10.00 USD.'),
    limit: 'None. 1 at a time.',
  })
  expect(termsOf({ id: 'topUp', access: 'none' })).toEqual({
    price: 'Free.',
    limit: '7 requests per minute per client address.',
  })
})

test('without a file of limits the defaults are told', () => {
  expect(termsOf({ id: 'createChatCompletion', access: 'paid' }).limit).toMatch(
    /XS 500 requests and 1,000,000 tokens per minute; S 75 .*; L 20 requests and 500,000 tokens per minute\.$/,
  )
  expect(termsOf({ id: 'listModels', access: 'optional' })).toEqual({ price: 'Free.', limit: 'No separate limit.' })
})
