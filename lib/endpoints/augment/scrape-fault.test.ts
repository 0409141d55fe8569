import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { scrapeFault } from '@/lib/endpoints/augment/scrape'
import { FetchRefused, type RefusalReason } from '@/lib/kernel/safe-fetch/safe-fetch'
import { ExtractionError } from '@/lib/services/documents/text-parser'

const REASONS = {
  scheme: 400,
  address: 400,
  blocked: 400,
  unreachable: 500,
  timeout: 500,
  redirect: 500,
  status: 500,
  type: 500,
  'too-large': 500,
  encoding: 500,
} satisfies Record<RefusalReason, number>

test('an address that must not be asked is the caller’s fault, one that gives nothing is nobody’s; each in its own words', () => {
  const faults = Object.keys(REASONS).map((reason) => scrapeFault(new FetchRefused(reason as RefusalReason)))
  expect(faults.map((fault) => (fault as ApiError).status)).toEqual(Object.values(REASONS))
  const words = faults.map((fault) => (fault as ApiError).issues?.[0]?.message ?? (fault as ApiError).message)
  expect(new Set(words).size).toBe(words.length)
})

test('where too many pages are being read, the caller comes back later', () => {
  expect(scrapeFault(new ExtractionError('busy'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
})

test('what is nobody’s refusal goes on as it is', () => {
  const bug = new TypeError('bug')
  expect(scrapeFault(bug)).toBe(bug)
  expect(scrapeFault(bug)).not.toBeInstanceOf(ApiError)
})
