import OpenAI from 'openai'
import { requestLines } from '@/e2e/servers/fuzz/books'
import { command } from '@/e2e/testing/admin-line'
import { ask, balanceOf, expectError, nanoOf } from '@/e2e/testing/ask'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { COST_NANO } from '@/e2e/testing/contract-upstream'

const messages = [{ role: 'user', content: 'Hello' }]
const FIVE = 5_000_000_000n

let stage: Stage

test.beforeAll(async () => {
  test.setTimeout(120_000)
  stage = await openStage()
})
test.afterAll(async () => stage?.stop())

for (const stream of [false, true]) {
  test(`a ${stream ? 'streamed' : 'whole'} answer carries every header of the contract`, async () => {
    const echoed = { 'x-service-mobile-version': '1.2.3', 'x-service-request-timestamp-ms': '1784332800123' }
    const sentAt = Date.now() / 1000
    const { status, headers } = await ask(stage, await stage.newKey(), { model: 'say', messages, stream }, echoed)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': stream ? 'text/event-stream; charset=utf-8' : 'application/json',
      'access-control-allow-origin': '*',
      'cf-ray': expect.stringMatching(/^[0-9a-f]{16}-[A-Z]{3}$/),
      date: expect.stringMatching(/GMT$/),
      'x-service-version': expect.stringMatching(/^\d{8}\.\d{6}$/),
      'x-service-timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      'x-service-model-id': 'say',
      'x-service-model-name': 'Contract say',
      'x-service-model-router': 'say',
      'x-retry-count': '0',
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-limit-tokens': '1000000',
      'x-service-balance-usd': expect.stringMatching(/^5\.0{6}/),
      'x-service-balance-diem': expect.stringMatching(/^0\.0{6}/),
      ...echoed,
    })
    const resetsAt = Number(headers.get('x-ratelimit-reset-requests'))
    expect(resetsAt).toBeGreaterThanOrEqual(Math.floor(sentAt))
    expect(resetsAt).toBeLessThanOrEqual(sentAt + 61)
    const resetsIn = Number(headers.get('x-ratelimit-reset-tokens'))
    expect(resetsIn).toBeGreaterThanOrEqual(0)
    expect(resetsIn).toBeLessThanOrEqual(60)
    for (const absent of ['x-balance-remaining', 'x-ratelimit-type', 'x-service-deprecated', 'x-service-host-name']) {
      expect(headers.has(absent), absent).toBe(false)
    }
    if (stream) expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    if (stream) expect(headers.has('content-encoding')).toBe(false)
  })
}

test('the count of retries and the model that served are told', async () => {
  const { status, headers, json } = await ask(stage, await stage.newKey(), { model: 'falls-back', messages })
  expect(status).toBe(200)
  expect(json.model).toBe('say')
  expect(headers.get('x-service-model-id')).toBe('say')
  expect(Number(headers.get('x-retry-count'))).toBeGreaterThan(0)
})

test('an answer costs exactly what it says', async () => {
  const key = await stage.newKey('5')
  let expected = FIVE
  for (let turn = 0; turn < 3; turn++) {
    const { before, cost } = await balanceOf(stage, key)
    expect(before).toBe(expected)
    expect(cost).toBe(COST_NANO)
    expected -= cost
  }
  const streamed = await ask(stage, key, { model: 'say', messages, stream: true })
  expect(nanoOf(streamed.headers.get('x-service-balance-usd') ?? '')).toBe(expected)
  const quiet = await ask(stage, key, {
    model: 'say',
    messages,
    stream: true,
    stream_options: { include_usage: false },
  })
  expect(nanoOf(quiet.headers.get('x-service-balance-usd') ?? '')).toBe(expected - COST_NANO)
  expect((await balanceOf(stage, key)).before).toBe(expected - 2n * COST_NANO)
  await command(stage.dataDir, 'ledger', 'check')
})

test('a key with too little credit, or a limit that is reached, is told so and charged nothing', async () => {
  const poor = await stage.newKey('0.09')
  expectError(await ask(stage, poor, { model: 'say', messages }), 402, 'INSUFFICIENT_BALANCE')
  const anonymous = await ask(stage, undefined, '')
  expect(anonymous.status).toBe(402)
  expect(anonymous.json).toMatchObject({ error: 'Payment required' })
})

test('a page of another origin may ask and read', async () => {
  const preflight = await fetch(`${stage.baseUrl}/chat/completions`, { method: 'OPTIONS' })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
  expect(preflight.headers.has('access-control-allow-credentials')).toBe(false)
})

test("OpenAI's client may ask from a page of another origin", async () => {
  const sent: string[] = []
  const client = new OpenAI({
    baseURL: stage.baseUrl,
    apiKey: await stage.newKey(),
    dangerouslyAllowBrowser: true,
    fetch: (url, init) => {
      sent.push(...new Headers(init?.headers).keys())
      return fetch(url, init)
    },
  })
  await client.chat.completions.create({ model: 'say', messages: [{ role: 'user', content: 'Hello' }] })
  expect(sent).toContain('x-stainless-lang')
  const preflight = await fetch(`${stage.baseUrl}/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://a.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': sent.join(','),
    },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')?.split(',')).toEqual(sent)
  expect(preflight.headers.has('access-control-allow-credentials')).toBe(false)
})

test('a request that fails early tells limits and balance all the same', async () => {
  const key = await stage.newKey()
  for (const [body, status] of [
    ['{', 400],
    [{ model: 'nothing', messages }, 404],
  ] as const) {
    const { status: answered, headers } = await ask(stage, key, body)
    expect(answered).toBe(status)
    expect(headers.get('x-service-balance-usd')).toMatch(/^5\.0{6}/)
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('500')
  }
})

test('a long answer is compressed where the contract allows it', async () => {
  const key = await stage.newKey()
  const body = { model: 'say', messages }
  // fetch takes the encoding off; the header says that there was one.
  const small = await ask(stage, key, body, { 'accept-encoding': 'br' })
  const { byteLength } = new TextEncoder().encode(small.text)
  expect(small.headers.has('content-encoding')).toBe(byteLength >= 1024)
  const stream = await ask(stage, key, { ...body, stream: true }, { 'accept-encoding': 'br, gzip' })
  expect(stream.headers.has('content-encoding')).toBe(false)
})

test('unknown paths and methods answer in JSON', async () => {
  const unknown = await fetch(`${stage.baseUrl}/no/such/thing`)
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ code: 'NOT_FOUND', error: expect.any(String) })
  const wrongMethod = await fetch(`${stage.baseUrl}/chat/completions`, { method: 'DELETE' })
  expect(wrongMethod.status).toBe(405)
  expect(wrongMethod.headers.get('allow')).toContain('POST')
  expect(await wrongMethod.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', error: expect.any(String) })
})

test('a caller whose requests keep failing is kept out for a while', async () => {
  const key = await stage.newKey()
  for (let failure = 0; failure < 21; failure++) await ask(stage, key, '{')
  const kept = await ask(stage, key, { model: 'say', messages })
  expectError(kept, 429, 'RATE_LIMIT_EXCEEDED')
  expect(Number(kept.headers.get('retry-after'))).toBeGreaterThan(0)
  const other = await ask(stage, await stage.newKey(), { model: 'say', messages })
  expect(other.status).toBe(200)
})

test('the log line of a request names the address of its client, and its id', async () => {
  const { headers } = await ask(stage, await stage.newKey(), { model: 'say', messages })
  const id = headers.get('cf-ray')
  const line = async () => requestLines(await stage.log()).find((one) => one.id === id)
  await expect.poll(line).toMatchObject({ id, client: '127.0.0.1', status: 200 })
})
