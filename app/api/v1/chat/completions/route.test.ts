import { expect, test } from 'vitest'
import { chatStage, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, stop, USAGE } from '@/app/api/v1/chat/completions/testing/upstream'

const stage = await chatStage()
const { upstream, call, streamed, spent } = stage

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

test('the upstream gets a stream that counts, and never our own fields', async () => {
  await call({
    stream: true,
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
  const open = await (await call()).json()
  expect(open.choices[0].message).toMatchObject({ content: 'Four', reasoning_content: 'hm' })
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
