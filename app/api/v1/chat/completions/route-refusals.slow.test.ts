import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { type Call, chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { usd } from '@/lib/contract/money'
import { stopClock } from '@/lib/kernel/testing/time'
import { revokeKey } from '@/lib/services/identity/api-keys'

const stage = await chatStage()
const { upstream, call, spent } = stage
/** What every reply to a good key tells. A request that names no model shows the bucket of routes that have none. */
const STANDING = {
  'x-ratelimit-limit-requests': expect.stringMatching(/^[1-9]/),
  'x-ratelimit-remaining-requests': expect.stringMatching(/^[1-9]/),
  'x-ratelimit-reset-requests': expect.stringMatching(/^\d{10}$/),
  'x-service-balance-usd': '5.000000',
  'x-service-balance-diem': '0.000000',
}

test.each<[number, string, Record<string, unknown>, Call]>([
  [401, 'AUTHENTICATION_FAILED', {}, { headers: { authorization: 'Bearer SERVICE_INFERENCE_KEY_wrong' } }],
  [402, 'x402', {}, { headers: { authorization: undefined } }],
  [415, 'INVALID_CONTENT_TYPE', {}, { headers: { 'content-type': 'text/plain' } }],
  [400, 'INVALID_REQUEST', {}, { raw: '{"model":' }],
  [400, 'INVALID_REQUEST', { messages: [] }, {}],
  [404, 'CHARACTER_NOT_FOUND', { service_parameters: { character_slug: 'nobody-of-that-name' } }, {}],
  [400, 'INVALID_REQUEST', { service_parameters: { enable_web_search: 'perhaps' } }, {}],
  [400, 'INVALID_REQUEST', { model: 'atlas:enable_web_scraping=perhaps' }, {}],
  [
    400,
    'INVALID_REQUEST',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,x' } }] }] },
    {},
  ],
  [400, 'INVALID_REQUEST', { model: 'plain', tools: [{ type: 'function', function: { name: 'add' } }] }, {}],
  [400, 'INVALID_REQUEST', { model: 'plain', logprobs: true }, {}],
  [400, 'INVALID_REQUEST', { model: 'plain', response_format: { type: 'json_object' } }, {}],
  [400, 'INVALID_REQUEST', { reasoning_effort: 'high' }, {}],
  [404, 'MODEL_NOT_FOUND', { model: 'nothing' }, {}],
  [404, 'MODEL_NOT_FOUND', { model: 'a\r\nSet-Cookie: x=1' }, {}],
  [404, 'MODEL_NOT_FOUND', { model: '🌊'.repeat(30_000) }, {}],
  [401, 'PRO_ONLY_MODEL', { model: 'pro' }, {}],
  [410, 'MODEL_RETIRED', { model: 'retired' }, {}],
  [503, 'MODEL_OFFLINE', { model: 'broken' }, {}],
])('%d %s', async (status, code, body, options) => {
  const response = await call(body, options)
  const answer = await response.json()
  expect([response.status, answer.code ?? 'x402']).toEqual([status, code])
  expect(answer.error).toEqual(expect.any(String))
  expect(response.headers.get('x-service-host-name')).not.toBeNull()
  expect(await spent()).toBe(0)
  const isAdmitted = code !== 'AUTHENTICATION_FAILED' && code !== 'x402'
  expect(Object.fromEntries(response.headers)).toMatchObject(isAdmitted ? STANDING : {})
  expect(response.headers.has('x-service-balance-usd')).toBe(isAdmitted)
})

test('callers whose requests fail one after another are told what they have by one look at the books', async () => {
  const queries = vi.spyOn(stage.database, 'query')
  for (let n = 0; n < 5; n++)
    expect((await call({ messages: [] })).headers.get('x-service-balance-usd')).toBe('5.000000')
  expect(queries.mock.calls.filter(([text]) => /from balance/.test(text)).length).toBeLessThan(2)
  queries.mockRestore()
})

test('a caller who is kept out is told what it has all the same', async () => {
  stopClock()
  for (let n = 0; n < 21; n++) await call({ messages: [] })
  const response = await call()
  expect(response.status).toBe(429)
  expect(Object.fromEntries(response.headers)).toMatchObject({ ...STANDING, 'x-ratelimit-type': 'api_key' })
})

test('a conversation that cannot fit is a context overflow in its own shape', async () => {
  const response = await call({ messages: [{ role: 'user', content: 'tide '.repeat(40_000) }] })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded', param: 'messages' } })
})

test('a revoked key ends at once', async () => {
  expect((await call()).status).toBe(200)
  await revokeKey(stage.keyId)
  expect((await call()).status).toBe(401)
})

test('an account without credit hears 402 and what it would take', async () => {
  const poor = await stage.openAccount(usd('0.05'))
  const response = await call({}, { headers: { authorization: `Bearer ${poor.secret}` } })
  expect(response.status).toBe(402)
  expect(await response.json()).toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  expect(response.headers.get('x-service-balance-usd')).toBe('0.050000')
  expect(response.headers.get('x-ratelimit-limit-tokens')).toMatch(/^[1-9]/)
})

test.each<[string, (response: ServerResponse) => void, number]>([
  ['refuses with 500', (response) => void response.writeHead(500).end('secret stack'), 500],
  ['is busy', (response) => void response.writeHead(429, { 'retry-after': '7' }).end('{}'), 429],
  ['resets', (response) => void response.destroy(), 500],
  [
    'answers garbage',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>secret</h1>'),
    500,
  ],
  ['hangs', () => {}, 504],
])('an upstream that %s costs nothing and shows nothing of itself', async (_, answer, status) => {
  upstream.answer = (_body, response) => answer(response)
  const response = await call({ stream: true })
  const text = await response.text()
  expect([response.status, text]).toEqual([status, expect.not.stringContaining('secret')])
  if (status === 429) expect(response.headers.get('retry-after')).toBe('7')
  expect(await spent()).toBe(0)
})
