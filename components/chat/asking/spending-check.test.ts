import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withinCaps } from '@/components/chat/asking/spending-check'
import { profileQuery } from '@/lib/browser/characters'
import type { ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { promptTokens, tokensOfBytes, worstCase } from '@/lib/browser/spending-cap'
import { WEB_TOKENS } from '@/lib/contract/estimates'
import { usd } from '@/lib/contract/money'

const PRICE = { input: 3, output: 15 }
const QUESTION = [{ role: 'user' as const, text: 'What are tides?' }]
const BODY = { model: 'm', messages: [{ role: 'user' as const, content: 'What are tides?' }] }
const PLAIN_TOKENS = promptTokens([{ content: 'What are tides?' }])
const CAP = usd('0.05')

beforeEach(() => {
  // Where there is no window, each call has a client of its own.
  vi.stubGlobal('window', {})
  vi.stubGlobal('localStorage', { getItem: (name: string) => (name === 'lagoon:capPerMessage' ? '0.05' : null) })
  const card: Partial<ModelCard> = { id: 'm', price: PRICE }
  queryClient().setQueryData(modelsQuery().queryKey, [card as ModelCard])
  const profile = { slug: 'long', promptBytes: 9_000 }
  queryClient().setQueryData(profileQuery('long').queryKey, profile as never)
})
afterEach(() => {
  vi.unstubAllGlobals()
  queryClient().clear()
})

const atMost = async (asked: ReturnType<typeof withinCaps>, tokens: number) =>
  worstCase(tokens, (await asked).max_completion_tokens ?? Number.NaN, PRICE)

test('an answer is bounded by what is left of the cap', async () => {
  expect(await atMost(withinCaps(BODY, QUESTION, undefined), PLAIN_TOKENS)).toBeLessThanOrEqual(CAP)
})

test('two that answer one message stay within its cap together', async () => {
  const each = await atMost(withinCaps(BODY, QUESTION, undefined, { answers: 2 }), PLAIN_TOKENS)
  expect(each * 2n).toBeLessThanOrEqual(CAP)
})

test('what a public character puts before the question counts', async () => {
  const body = { ...BODY, service_parameters: { character_slug: 'long' } }
  const tokens = PLAIN_TOKENS + tokensOfBytes(9_000)
  expect(await atMost(withinCaps(body, QUESTION, undefined), tokens)).toBeLessThanOrEqual(CAP)
})

test('what was looked up is paid for, and read', async () => {
  const asked = withinCaps(BODY, QUESTION, { web: 'on' })
  expect((await atMost(asked, PLAIN_TOKENS + WEB_TOKENS.upper)) + usd('0.01')).toBeLessThanOrEqual(CAP)
})

test('what another model reads for the one that answers is paid from the same cap', async () => {
  const reader = { price: { input: 1, output: 2 }, maxOutputTokens: 1_000 }
  const card = { id: 'm', price: PRICE, takes: { images: 'assisted' }, readers: { images: reader } }
  queryClient().setQueryData(modelsQuery().queryKey, [card as unknown as ModelCard])
  const image = {
    id: 'p',
    kind: 'image' as const,
    name: 'p',
    mediaType: 'image/png',
    size: 9,
    hash: 'h',
    tokens: 500,
  }
  const read = worstCase(8_392, 1_000, reader.price)
  const asked = withinCaps(BODY, [{ ...QUESTION[0]!, attachments: [image] }], undefined)
  expect((await atMost(asked, PLAIN_TOKENS + 500)) + read).toBeLessThanOrEqual(CAP)
  const many = Array.from({ length: 10 }, () => image)
  await expect(withinCaps(BODY, [{ ...QUESTION[0]!, attachments: many }], undefined)).rejects.toThrow(
    'Your cap is $0.05',
  )
})
