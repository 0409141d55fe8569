import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { POST } from '@/app/api/v1/chat/completions/route'
import { beginStream, delta, sayHello, scriptedUpstream, stop, USAGE } from '@/app/api/v1/chat/completions/testing'
import { createKey, revokeKey } from '@/lib/access/api-keys'
import { checkLedger } from '@/lib/billing/invariants'
import { balancesOf, settled } from '@/lib/billing/ledger'
import { makeAccount } from '@/lib/billing/testing'
import { usd, usdNumber } from '@/lib/core/money'
import { testDatabase } from '@/lib/db/testing'
import { closeEngines } from '@/lib/engines/registry'
import { loadCatalogue } from '@/lib/models/catalogue'

const database = await testDatabase()
const upstream = await scriptedUpstream()
const folder = await mkdtemp(path.join(tmpdir(), 'chat-route-'))
const OPENING = usd('5')
/** 20 prompt tokens of which 8 are cached, 3 answered: 12 × 1.00 + 8 × 0.25 + 3 × 3.00 USD a million. */
const PRICE_OF_HELLO = 0.000023

let accountId: string
let secret: string
let keyId: string

beforeAll(async () => {
  const file = path.join(folder, 'models.yaml')
  const text = { type: 'text', engine: 'house', contextTokens: 4096, maxCompletionTokens: 64 }
  const pricing = { input: { usd: 1 }, output: { usd: 3 }, cache_input: { usd: 0.25 } }
  const capabilities = {
    supportsFunctionCalling: true,
    supportsResponseSchema: true,
    supportsLogProbs: true,
    supportsReasoning: true,
  }
  const models = [
    {
      ...text,
      id: 'atlas',
      name: 'Atlas',
      upstreamModel: 'up-atlas',
      pricing,
      capabilities,
      tier: 'XS',
      traits: ['default'],
      aliases: ['gpt-4o'],
    },
    { ...text, id: 'plain', name: 'Plain', upstreamModel: 'up-plain', pricing, tier: 'L' },
    {
      ...text,
      id: 'long',
      name: 'Long',
      upstreamModel: 'up-long',
      pricing: { input: { usd: 1 }, output: { usd: 20 } },
      tier: 'XS',
      maxCompletionTokens: 10_000,
      contextTokens: 32_000,
    },
    { ...text, id: 'free', name: 'Free', upstreamModel: 'up-free', tier: 'XS' },
    { ...text, id: 'pro', name: 'Pro', upstreamModel: 'up-pro', pricing, tier: 'XS', access: 'pro' },
    {
      ...text,
      id: 'cautious',
      name: 'Cautious',
      engine: 'gone',
      upstreamModel: 'x',
      pricing,
      tier: 'XS',
      fallbacks: ['atlas'],
    },
    { ...text, id: 'broken', name: 'Broken', engine: 'gone', upstreamModel: 'x', pricing, tier: 'XS' },
    {
      ...text,
      id: 'old',
      name: 'Old',
      upstreamModel: 'up-old',
      pricing,
      tier: 'XS',
      deprecation: { date: '2020-01-01', replacement: 'atlas', autoRemap: true },
    },
    {
      ...text,
      id: 'leaving',
      name: 'Leaving',
      upstreamModel: 'up',
      pricing,
      tier: 'XS',
      deprecation: { date: '2999-01-31', replacement: 'atlas', autoRemap: false },
    },
    {
      ...text,
      id: 'retired',
      name: 'Retired',
      upstreamModel: 'up',
      pricing,
      tier: 'XS',
      deprecation: { date: '2020-01-01', replacement: 'atlas', autoRemap: false },
    },
  ]
  const engines = {
    house: { kind: 'openai', baseUrls: [upstream.url], timeouts: { connectMs: 500, firstTokenMs: 1000, idleMs: 1000 } },
    gone: {
      kind: 'openai',
      baseUrls: ['http://127.0.0.1:9/v1'],
      timeouts: { connectMs: 200, firstTokenMs: 500, idleMs: 500 },
    },
  }
  await writeFile(file, JSON.stringify({ engines, models }))
  Object.assign(process.env, {
    MODELS_FILE: file,
    EMBEDDED_MODELS: 'off',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    NODE_ENV: 'test',
  })
  await loadCatalogue()
})

beforeEach(async () => {
  upstream.answer = sayHello
  upstream.seen.length = 0
  upstream.left = 0
  accountId = await makeAccount(database, { USD: OPENING })
  const key = await createKey({ accountId, type: 'INFERENCE', description: 'test' })
  secret = key.secret
  keyId = key.id
})

afterAll(async () => {
  await closeEngines()
  await settled()
  expect((await checkLedger(database, { depth: 'full' })).filter((check) => check.broken > 0)).toEqual([])
  await rm(folder, { recursive: true })
})

type Call = { headers?: Record<string, string | undefined>; raw?: BodyInit }

async function call(body: Record<string, unknown> = {}, { headers = {}, raw }: Call = {}): Promise<Response> {
  const all = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const content = raw ?? JSON.stringify({ model: 'atlas', messages: [{ role: 'user', content: 'Hi' }], ...body })
  const request = new Request('http://localhost:3000/api/v1/chat/completions', {
    method: 'POST',
    body: content,
    headers: sent,
  })
  return POST(request, { params: Promise.resolve({}) })
}

async function streamed(body: Record<string, unknown> = {}) {
  const response = await call({ stream: true, ...body })
  const text = await response.text()
  const data = text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice(6))
  return { response, text, last: data.at(-1), chunks: data.slice(0, -1).map((json) => JSON.parse(json)) }
}

async function spent(): Promise<number> {
  await settled()
  const { USD } = await balancesOf(accountId)
  return usdNumber((OPENING - USD) as typeof OPENING)
}

test('an answer that is sent whole has the body, the headers and the price of the contract', async () => {
  const response = await call()
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(body).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'atlas',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        stop_reason: 'stop',
        logprobs: null,
        message: { role: 'assistant', content: 'Hello there friend' },
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23, prompt_tokens_details: { cached_tokens: 8 } },
    cost: { usd: PRICE_OF_HELLO, diem: 0 },
    service_parameters: {
      enable_web_search: 'off',
      include_service_system_prompt: true,
      enable_e2ee: false,
      web_search_citations: [],
    },
  })
  expect(await spent()).toBe(PRICE_OF_HELLO)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json',
    'cf-ray': expect.stringMatching(/^[0-9a-f]{16}-[A-Z]{3}$/),
    'x-service-version': expect.stringMatching(/^\d{8}\.\d{6}$/),
    'x-service-timestamp': expect.stringMatching(/Z$/),
    'x-service-model-id': 'atlas',
    'x-service-model-name': 'Atlas',
    'x-service-model-router': 'house',
    'x-service-balance-usd': '5.000000',
    'x-service-balance-diem': '0.000000',
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
    'x-ratelimit-limit-tokens': '1000000',
    'x-retry-count': '0',
    'access-control-allow-origin': '*',
  })
  expect(Number(response.headers.get('x-ratelimit-reset-requests'))).toBeGreaterThan(Date.now() / 1000 - 1)
  expect(Number(response.headers.get('x-ratelimit-reset-tokens'))).toBeLessThanOrEqual(60)
})

test('the upstream always gets a stream that counts, and never our own fields', async () => {
  await call({
    service_parameters: { strip_thinking_response: true },
    user: 'me',
    metadata: { a: 'b' },
    logit_bias: { 5: 1 },
    api_base: 'http://evil',
  })
  expect(upstream.seen[0]).toMatchObject({
    model: 'up-atlas',
    stream: true,
    stream_options: { include_usage: true },
    logit_bias: { 5: 1 },
  })
  for (const field of ['service_parameters', 'user', 'metadata', 'api_base'])
    expect(upstream.seen[0]).not.toHaveProperty(field)
})

test('a stream has its frames in order, and ends with usage, cost and the end mark', async () => {
  const { response, chunks, last } = await streamed()
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(chunks.map((chunk) => chunk.choices[0]?.delta ?? null)).toEqual([
    { role: 'assistant', content: '' },
    { content: 'Hello' },
    { content: ' there' },
    { content: ' friend' },
    {},
    null,
  ])
  expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.created} ${chunk.model}`)).size).toBe(1)
  expect(chunks.at(-2).choices[0].finish_reason).toBe('stop')
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 23 }, cost: { usd: PRICE_OF_HELLO } })
  expect(last).toBe('[DONE]')
  expect(await spent()).toBe(PRICE_OF_HELLO)
})

test('the usage chunk stays away when the caller says so, and the answer is charged all the same', async () => {
  const { chunks } = await streamed({ stream_options: { include_usage: false } })
  expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
  expect(await spent()).toBe(PRICE_OF_HELLO)
})

test('tool calls pass through in both forms', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    const call = (calls: unknown[]) => ({ choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] })
    write(call([{ index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } }]))
    write(call([{ index: 0, function: { arguments: '{"a":1}' } }]))
    write({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
  const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }]
  const whole = await (await call({ tools })).json()
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
    },
  })
  const { chunks } = await streamed({ tools })
  expect(chunks.find((chunk) => chunk.choices[0]?.delta.tool_calls)?.choices[0].delta.tool_calls[0]).toMatchObject({
    id: 'call_1',
  })
})

test('thinking is separated, stripped on demand, and counted', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (const piece of ['<thi', 'nk>hm', '</think>', '\n\nFour']) write(delta(piece))
    write(stop)
    response.end()
  }
  const body = await (await call({ service_parameters: { strip_thinking_response: true } })).json()
  expect(body.choices[0].message).toMatchObject({ content: 'Four', reasoning_content: null })
  const { text } = await streamed({ model: 'atlas:disable_thinking=true' })
  expect(text).not.toMatch(/think|hm"/)
})

test('suffix, trait and alias lead to the model, and the reply names it', async () => {
  for (const model of ['default', 'gpt-4o', 'atlas:strip_thinking_response=true&future=1']) {
    const body = await (await call({ model })).json()
    expect(body.model).toBe('atlas')
  }
})

test('a remapped model is served by its replacement and says so; a leaving one warns', async () => {
  const old = await call({ model: 'old' })
  expect(await old.json()).toMatchObject({ model: 'atlas' })
  expect(old.headers.get('x-service-deprecated')).toBe('true')
  expect(old.headers.get('x-service-deprecated-replacement')).toBe('atlas')
  const leaving = await call({ model: 'leaving' })
  expect(leaving.headers.get('x-service-model-deprecation-date')).toMatch(/^2999-01-31/)
  expect(leaving.headers.get('x-service-model-deprecation-warning')).toMatch(/atlas/)
})

test('an engine that is gone is passed over for the fallback, before the first byte', async () => {
  const response = await call({ model: 'cautious' })
  expect(await response.json()).toMatchObject({ model: 'atlas', cost: { usd: PRICE_OF_HELLO } })
  expect(response.headers.get('x-service-model-id')).toBe('atlas')
  expect(Number(response.headers.get('x-retry-count'))).toBeGreaterThan(0)
})

test('a free model costs nothing and still shows the balance', async () => {
  const response = await call({ model: 'free' })
  expect(await response.json()).toMatchObject({ cost: { usd: 0, diem: 0 } })
  expect(response.headers.get('x-service-balance-usd')).toBe('5.000000')
})

test.each<[number, string, Record<string, unknown>, Call]>([
  [401, 'AUTHENTICATION_FAILED', {}, { headers: { authorization: 'Bearer SERVICE_INFERENCE_KEY_wrong' } }],
  [402, 'x402', {}, { headers: { authorization: undefined } }],
  [415, 'INVALID_CONTENT_TYPE', {}, { headers: { 'content-type': 'text/plain' } }],
  [400, 'INVALID_REQUEST', {}, { raw: '{"model":' }],
  [400, 'INVALID_REQUEST', { messages: [] }, {}],
  [400, 'INVALID_REQUEST', { service_parameters: { character_slug: 'ada' } }, {}],
  [400, 'INVALID_REQUEST', { service_parameters: { enable_web_search: 'on' } }, {}],
  [400, 'INVALID_REQUEST', { model: 'atlas:enable_web_search=auto' }, {}],
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
})

test('a conversation that cannot fit is a context overflow in its own shape', async () => {
  const response = await call({ messages: [{ role: 'user', content: 'tide '.repeat(40_000) }] })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded', param: 'messages' } })
})

test('a revoked key ends at once', async () => {
  expect((await call()).status).toBe(200)
  await revokeKey(keyId)
  expect((await call()).status).toBe(401)
})

test('an account without credit hears 402 and what it would take', async () => {
  const poor = await makeAccount(database, { USD: usd('0.05') })
  const key = await createKey({ accountId: poor, type: 'INFERENCE', description: 'poor' })
  const response = await call({}, { headers: { authorization: `Bearer ${key.secret}` } })
  expect(response.status).toBe(402)
  expect(await response.json()).toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
})

test.each<[string, (response: import('node:http').ServerResponse) => void, number]>([
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

test('an upstream that breaks in mid-stream ends in one error frame, and what went out is charged', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (const word of ['one', ' two']) write(delta(word))
    await sleep(50)
    response.destroy()
  }
  const { response, chunks, last } = await streamed()
  expect(response.status).toBe(200)
  expect(chunks.at(-1)).toMatchObject({ error: { type: expect.any(String), code: expect.any(String), param: null } })
  expect(last).toBe('[DONE]')
  expect(await spent()).toBeGreaterThan(0)
})

test('a count that cannot be true is not charged', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta('Hi'))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 1_000_000, completion_tokens: 9_000_000, total_tokens: 10_000_000 } })
    response.end('data: [DONE]\n\n')
  }
  const body = await (await call()).json()
  expect(body.usage.completion_tokens).toBe(1)
  expect(await spent()).toBeLessThan(0.001)
})

test.each([0, 1, 2, 5])('a reader that leaves after %d chunks ends the upstream and pays for those', async (reads) => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 60 && !response.destroyed; i++) {
      write(delta(' tide'))
      await sleep(10)
    }
    response.end()
  }
  const reader = (await call({ stream: true })).body!.getReader()
  for (let i = 0; i < reads; i++) await reader.read()
  await reader.cancel()
  await expect.poll(() => upstream.left, { timeout: 1000 }).toBe(1)
  const cost = await spent()
  expect(cost).toBeGreaterThan(0)
  expect(cost).toBeLessThan(PRICE_OF_HELLO * 5)
  expect((await balancesOf(accountId)).USD).toBeGreaterThan(0n)
})

test('an answer ends where the credit ends, with a length and never below zero', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 9000 && !response.destroyed; i++) {
      write(delta('tide'))
      if (i % 100 === 0) await sleep(1)
    }
    write(stop)
    response.end()
  }
  const poor = await makeAccount(database, { USD: usd('0.10') })
  const key = await createKey({ accountId: poor, type: 'INFERENCE', description: 'poor' })
  const response = await call({ model: 'long', stream: true }, { headers: { authorization: `Bearer ${key.secret}` } })
  const text = await response.text()
  expect(text).toContain('"finish_reason":"length"')
  expect(text.match(/"content":"tide"/g)?.length).toBeLessThan(5200)
  await settled()
  const left = (await balancesOf(poor)).USD
  expect(left).toBeGreaterThanOrEqual(0n)
  expect(left).toBeLessThan(usd('0.02'))
  await expect.poll(() => upstream.left, { timeout: 1000 }).toBe(1)
})

test('a long answer takes more credit as it goes', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 6000; i++) write(delta('tide'))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 6000, total_tokens: 6020 } })
    response.end('data: [DONE]\n\n')
  }
  const { chunks } = await streamed({ model: 'long' })
  expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 6000 }, cost: { usd: 0.12002 } })
  expect(await spent()).toBe(0.12002)
})

test('several choices are numbered, counted and charged together', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (const index of [1, 0])
      write({ choices: [{ index, delta: { content: `answer ${index}` }, finish_reason: 'stop' }] })
    write({ choices: [], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
  const body = await (await call({ n: 2 })).json()
  expect(upstream.seen[0]).toMatchObject({ n: 2 })
  expect(body.choices.map((choice: { message: { content: string } }) => choice.message.content)).toEqual([
    'answer 0',
    'answer 1',
  ])
  const { chunks } = await streamed({ n: 2 })
  expect(chunks.filter((chunk) => chunk.choices[0]?.delta.role).map((chunk) => chunk.choices[0].index)).toEqual([1, 0])
})

test('a client that leaves while its whole answer is made pays for what was made', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 100 && !response.destroyed; i++) {
      write(delta(' tide'))
      await sleep(5)
    }
    response.end()
  }
  const controller = new AbortController()
  const request = new Request('http://localhost:3000/api/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'atlas', messages: [{ role: 'user', content: 'Hi' }] }),
    signal: controller.signal,
  })
  const reply = POST(request, { params: Promise.resolve({}) })
  await sleep(80)
  controller.abort()
  expect((await reply).status).toBeGreaterThanOrEqual(400)
  await expect.poll(() => upstream.left, { timeout: 1000 }).toBe(1)
  const cost = await spent()
  expect(cost).toBeGreaterThan(0)
  expect(cost).toBeLessThan(0.0004)
})

test('forty answers at once are charged forty times, to the last nano-dollar', async () => {
  const { USD: before } = await balancesOf(accountId)
  const responses = await Promise.all(Array.from({ length: 40 }, () => call({ model: 'free' }).then(() => call())))
  const bodies = await Promise.all(responses.map((response) => response.json()))
  expect(bodies.every((body) => body.cost?.usd === PRICE_OF_HELLO)).toBe(true)
  expect(await spent()).toBeCloseTo(40 * PRICE_OF_HELLO, 9)
  expect(before).toBe(OPENING)
})
