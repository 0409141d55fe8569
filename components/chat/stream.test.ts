import { afterEach, expect, test, vi } from 'vitest'
import { type AnswerEvent, eventsOf, streamAnswer } from '@/components/chat/stream'
import { ApiError } from '@/lib/contract/errors'

const QUESTION = { model: 'atlas', messages: [{ role: 'user' as const, content: 'Tides?' }] }
const HEAD = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'atlas' }
const frame = (fields: object) => `data: ${JSON.stringify({ ...HEAD, ...fields })}\n\n`
const delta = (fields: object, reason: string | null = null) =>
  frame({ choices: [{ index: 0, delta: fields, finish_reason: reason }] })

afterEach(() => vi.unstubAllGlobals())

/** The browser's `fetch`, answering with these bytes in pieces of `size`. */
function answerWith(body: string, size = 7, init: ResponseInit = {}) {
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
      controller.close()
    },
  })
  const fetch = vi.fn(async (_path: string, _init: RequestInit) => new Response(stream, init))
  vi.stubGlobal('fetch', fetch)
  return fetch
}

async function collect(): Promise<AnswerEvent[]> {
  const events: AnswerEvent[] = []
  for await (const event of streamAnswer(QUESTION, new AbortController().signal)) events.push(event)
  return events
}

test('a whole stream comes out as events, however its bytes are cut', async () => {
  const body =
    delta({ role: 'assistant', content: '' }) +
    delta({ reasoning_content: 'Hmm…' }) +
    ': ping\n\n' +
    delta({ content: 'Zwei Gezeiten 🌊' }) +
    delta({}, 'stop') +
    frame({
      choices: [],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 5,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      cost: { usd: 0.00125, diem: 0 },
    }) +
    'data: [DONE]\n\n'
  for (const size of [1, 3, 64, 10_000]) {
    answerWith(body, size, { headers: { 'cf-ray': '0123-LOC' } })
    expect(await collect()).toEqual([
      { type: 'accepted', requestId: '0123-LOC' },
      { type: 'reasoning-delta', text: 'Hmm…' },
      { type: 'text-delta', text: 'Zwei Gezeiten 🌊' },
      { type: 'choice-end', reason: 'stop' },
      { type: 'usage', model: 'atlas', tokens: { input: 12, output: 5, cached: 4, reasoning: 2 }, costUsd: 0.00125 },
      { type: 'end' },
    ])
  }
})

test('asks for a stream with usage, and sends nothing but the question', async () => {
  const fetch = answerWith('data: [DONE]\n\n')
  await collect()
  expect(fetch.mock.calls[0]?.[0]).toBe('/api/v1/chat/completions')
  expect(JSON.parse(String(fetch.mock.calls[0]?.[1].body))).toEqual({
    ...QUESTION,
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('a request is named where the page gives it a name', async () => {
  const fetch = answerWith('data: [DONE]\n\n')
  for await (const _ of streamAnswer(QUESTION, new AbortController().signal, 'chatcmpl-1'));
  expect(new Headers(fetch.mock.calls[0]?.[1].headers).get('x-service-request-name')).toBe('chatcmpl-1')
})

test('sources come first, in their places; who read along comes with the usage', () => {
  const found = [{ title: 'Tides', url: 'https://a.example', content: 'Two.' }, null, { title: 5 }]
  expect(eventsOf(JSON.stringify({ choices: [], service_parameters: { web_search_citations: found } }))).toEqual([
    {
      type: 'citations',
      citations: [
        { title: 'Tides', url: 'https://a.example', content: 'Two.' },
        { title: '', url: '' },
        { title: '', url: '' },
      ],
    },
  ])
  const assists = [
    { type: 'image_url', model: 'reader', cost_usd: 0.00125 },
    { type: 'odd', model: 'x', cost_usd: 'much' },
  ]
  expect(eventsOf(JSON.stringify({ choices: [], service_parameters: { assists } }))).toEqual([
    { type: 'assists', assists: [{ type: 'assist', reads: 'image_url', model: 'reader' }], costUsd: 0.00125 },
  ])
})

test('a tool call comes in pieces, its name with the first', () => {
  const call = (fields: object) =>
    JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [fields] }, finish_reason: null }] })
  expect(eventsOf(call({ index: 0, id: 'c', function: { name: 'find', arguments: '' } }))).toEqual([
    { type: 'tool-call-delta', index: 0, name: 'find', input: '' },
  ])
  expect(eventsOf(call({ index: 0, function: { arguments: '{"q"' } }))).toEqual([
    { type: 'tool-call-delta', index: 0, input: '{"q"' },
  ])
  expect(eventsOf(call({ index: 0 }))).toEqual([])
})

test('what the daily allowance paid is a price, too', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 }
  expect(eventsOf(JSON.stringify({ model: 'm', choices: [], usage, cost: { usd: 0, diem: 0.5 } }))).toMatchObject([
    { costUsd: 0.5 },
  ])
})

test('a stream that breaks off has no end', async () => {
  answerWith(delta({ content: 'Tw' }))
  expect((await collect()).map((event) => event.type)).toEqual(['accepted', 'text-delta'])
})

test('an error event in the stream keeps its code and its wait', () => {
  const data = JSON.stringify({
    error: { message: 'Busy', type: 'server_error', code: 'MODEL_OVERLOADED', param: null, retry_after: 7 },
  })
  expect(eventsOf(data)).toEqual([{ type: 'error', code: 'MODEL_OVERLOADED', message: 'Busy', retryAfterSeconds: 7 }])
  expect(eventsOf('{"error":{"message":"Odd","code":"never_heard"}}')).toEqual([
    { type: 'error', code: 'UNKNOWN_ERROR', message: 'Odd' },
  ])
})

test('frames that cannot be read are passed over', () => {
  for (const data of ['', 'null', '[]', '{', '"text"', '{"choices":[]}', '{"choices":[{"delta":{"content":5}}]}']) {
    expect(eventsOf(data)).toEqual([])
  }
})

test('a refusal is thrown with its code, its wait and its request id', async () => {
  const body = JSON.stringify({ error: 'Too many requests', code: 'RATE_LIMIT_EXCEEDED' })
  answerWith(body, 1000, { status: 429, headers: { 'retry-after': '12', 'cf-ray': 'ray-1' } })
  const error = await collect().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    message: 'Too many requests',
    retryAfterSeconds: 12,
    headers: { 'cf-ray': 'ray-1' },
  })
})

test('a refusal in the shape of the context overflow is understood, and so is one that is no JSON', async () => {
  const overflow = { message: 'Too long', type: 'invalid_request_error', code: 'context_length_exceeded' }
  answerWith(JSON.stringify({ error: overflow }), 1000, { status: 400 })
  await expect(collect()).rejects.toMatchObject({ code: 'context_length_exceeded', message: 'Too long' })
  answerWith('<html>Bad gateway</html>', 1000, { status: 502 })
  await expect(collect()).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
})

test.each(['found', 'nothing_found', 'failed', 'not_needed'] as const)('a chunk says that a search is %s', (status) => {
  const first = { choices: [], service_parameters: { web_search_citations: [], web_search_status: status } }
  expect(eventsOf(JSON.stringify(first))).toEqual([
    { type: 'citations', citations: [] },
    { type: 'search', outcome: status },
  ])
  const last = { choices: [], service_parameters: { web_search_status: status } }
  expect(eventsOf(JSON.stringify(last))).toEqual([{ type: 'search', outcome: status }])
})

test('a status of a search that nobody knows says nothing', () => {
  expect(eventsOf(JSON.stringify({ choices: [], service_parameters: { web_search_status: 'perhaps' } }))).toEqual([])
})
