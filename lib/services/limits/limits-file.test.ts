import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError } from '@/lib/kernel/config'
import { limitsOfModel } from '@/lib/services/limits/limits'
import { loadLimits, parseLimits } from '@/lib/services/limits/limits-file'

test('without a file the contract’s numbers hold', () => {
  expect(loadLimits()).toEqual({
    tiers: {
      XS: { requestsPerMinute: 500, tokensPerMinute: 1_000_000 },
      S: { requestsPerMinute: 75, tokensPerMinute: 750_000 },
      M: { requestsPerMinute: 50, tokensPerMinute: 750_000 },
      L: { requestsPerMinute: 20, tokensPerMinute: 500_000 },
    },
    types: { image: 20, audio: 60, embedding: 500, queue: 40, retrieve: 120 },
    routes: {
      'crypto-rpc': 100,
      'top-up': 10,
      'x402-balance': 30,
      'x402-transactions': 20,
      'api-keys': 20,
      'billing-usage': 10,
      augment: 20,
      default: 500,
    },
    cryptoRpc: { concurrencyPerUser: 1, creditsPerDay: 10_000_000 },
    failedRequests: { count: 20, windowSeconds: 30, blockSeconds: 30 },
    concurrency: { perKey: 50, perWallet: 5, perIp: 100 },
  })
})

test('what a file leaves out keeps its default', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'limits-')), 'limits.yaml')
  writeFileSync(file, 'tiers:\n  L: { requestsPerMinute: 7 }\nconcurrency: { perKey: 0 }\n')
  const limits = loadLimits(file)
  expect(limits.tiers.L).toEqual({ requestsPerMinute: 7, tokensPerMinute: 500_000 })
  expect(limits.concurrency).toEqual({ perKey: 0, perWallet: 5, perIp: 100 })
  expect(limitsOfModel({ type: 'text', tier: 'L' }, 2, limits)).toEqual({ requests: 14, tokens: 1_000_000 })
})

test('an empty file is no file', () => {
  expect(parseLimits('')).toEqual(loadLimits())
})

test.each([
  ['an unknown tier', 'tiers: { XL: { requestsPerMinute: 1 } }', 'XL'],
  ['a misspelt field', 'concurency: { perKey: 1 }', 'concurency'],
  ['a negative number', 'types: { image: -1 }', 'types.image'],
  ['a word for a number', 'types: { image: lots }', 'types.image'],
  ['a fraction', 'routes: { augment: 1.5 }', 'routes.augment'],
  ['a list', '- 1', 'expected object'],
  ['broken YAML', 'tiers: {', 'not YAML'],
])('%s stops the start and is named', (_, text, named) => {
  expect(() => parseLimits(text, 'limits.yaml')).toThrow(ConfigError)
  expect(() => parseLimits(text, 'limits.yaml')).toThrow(named)
})

test('a file that is not there stops the start', () => {
  expect(() => loadLimits('/nowhere/limits.yaml')).toThrow(/RATE_LIMITS_FILE.*ENOENT/)
})
