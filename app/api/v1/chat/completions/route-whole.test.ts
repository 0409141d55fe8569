import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatStage, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { USAGE } from '@/app/api/v1/chat/completions/testing/upstream'
import { POST as POST_RESPONSE } from '@/app/api/v1/responses/route'
import { usd } from '@/lib/contract/money'
import { answerIn, DONE, frame, sse, wholeOf } from '@/lib/services/engines/upstream/testing/fake-upstream'

const text = { type: 'text', engine: 'house', contextTokens: 131_072, maxCompletionTokens: 16_384, tier: 'XS' }
const pricing = { input: { usd: 1 }, output: { usd: 3 }, cache_input: { usd: 0.25 } }
const capabilities = {
  supportsFunctionCalling: true,
  supportsResponseSchema: true,
  supportsLogProbs: true,
  supportsReasoning: true,
}
// What a model does badly with whole answers is remembered: each test that provokes it has its own.
const NAMES = ['roomy', 'cut', 'cut-twice', 'gone', 'uncounted', 'refusing']
const stage = await chatStage({
  models: [
    ...NAMES.map((id) => ({ ...text, id, name: id, upstreamModel: `up-${id}`, pricing, capabilities })),
    { ...text, id: 'roomy-free', name: 'Roomy, free', upstreamModel: 'up-roomy-free' },
  ],
})
const { upstream, call, spent } = stage

/** As much as a first hold covers, and more. */
const COVERED = { model: 'roomy', max_tokens: 4_096 }
const OPEN = { model: 'roomy', max_tokens: 4_097 }

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  frame({ choices: [{ index: 0, delta, finish_reason, ...more }] })
const say = (...texts: string[]) => texts.map((content) => chunk({ content })).join('')
const end = (reason = 'stop', usage: object = USAGE) => chunk({}, reason) + frame({ choices: [], usage }) + DONE
const token = (content: string) =>
  chunk({ content }, null, {
    logprobs: {
      content: [{ token: content, logprob: -0.5, bytes: [65], top_logprobs: [{ token: content, logprob: -0.5 }] }],
    },
  })
const begunCall = (index: number, id: string, name: string) =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
const argument = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })

const add = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } }
const asJson = { response_format: { type: 'json_schema', json_schema: { name: 'city', schema: { type: 'object' } } } }
const CALLS = begunCall(0, 'call_1', 'add') + argument(0, '{"a"') + begunCall(1, 'call_2', 'add') + argument(1, '{}')

const ANSWERS: [string, string, object?][] = [
  ['words', chunk({ role: 'assistant', content: '' }) + say('Hello', ' there', ' 👋🏽 «friend»\n') + end()],
  ['no words', end('stop', { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 })],
  ['words that were cut by the bound', say('Hello', ' there') + end('length')],
  ['words that another reason ended', say('Hello') + end('content_filter')],
  ['thoughts in tags', say('<th', 'ink>\nthree times', ' two</think>', '\n\nSix', '.') + end()],
  [
    'thoughts in tags, stripped',
    say('<think>three</think>Six.') + end(),
    { service_parameters: { strip_thinking_response: true } },
  ],
  [
    'thoughts of their own',
    chunk({ reasoning_content: 'three times ' }) + chunk({ reasoning_content: 'two' }) + say('Six') + end(),
  ],
  ['thoughts under their other name', chunk({ reasoning: 'three times two' }) + say('Six') + end()],
  [
    'thoughts of their own, stripped',
    chunk({ reasoning_content: 'two' }) + say('Six') + end(),
    { service_parameters: { strip_thinking_response: true } },
  ],
  [
    'signed thoughts',
    chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'two', signature: 'abc' }] }) + say('Six') + end(),
  ],
  ['tool calls', CALLS + argument(0, ':1}') + end('tool_calls'), { tools: [add] }],
  ['words and a tool call', say('Let me', ' see.') + CALLS + argument(0, ':1}') + end('tool_calls'), { tools: [add] }],
  [
    'a function call of old',
    chunk({ function_call: { name: 'add', arguments: '' } }) +
      chunk({ function_call: { arguments: '{}' } }) +
      end('function_call'),
    { tools: [add] },
  ],
  ['a refusal', chunk({ refusal: 'I cannot' }) + chunk({ refusal: ' do that.' }) + end()],
  ['log probabilities', token('Hel') + token('lo') + end(), { logprobs: true, top_logprobs: 1 }],
  [
    'log probabilities of thoughts in tags',
    token('<think>') + token('two') + token('</think>') + token('Six') + end(),
    { logprobs: true },
  ],
  [
    'several choices',
    [1, 0, 1].map((index) => frame({ choices: [{ index, delta: { content: `${index} ` } }] })).join('') +
      [0, 1]
        .map((index) => frame({ choices: [{ index, delta: {}, finish_reason: index ? 'length' : 'stop' }] }))
        .join('') +
      frame({ choices: [], usage: USAGE }) +
      DONE,
    { n: 2 },
  ],
  [
    'log probabilities of thoughts of their own',
    chunk({ reasoning_content: 'two' }, null, { logprobs: { content: [{ token: 'two', logprob: -0.25 }] } }) +
      token('Six') +
      end(),
    { logprobs: true },
  ],
  ['JSON in a fence', say('```json\n{"city":', ' "Brest"}\n```') + end(), asJson],
  ['no JSON where it was asked for', say('Sure! Here', ' it is') + end(), asJson],
  ['counted thoughts', say('Six') + end('stop', { ...USAGE, completion_tokens_details: { reasoning_tokens: 2 } })],
  ['a count that cannot be', say('Six') + end('stop', { prompt_tokens: 1e7, completion_tokens: 9e6 })],
]

const timeless = (body: string) => body.replace(/"(id|created)":("(chatcmpl-|call_[0-9a-f]{24})\w*"|\d+)/g, '"$1":0')

test.each(ANSWERS)(
  'an answer asked for whole is, to the byte, the one collected from a stream: %s',
  async (_, frames, fields) => {
    upstream.answer = (body, response) => answerIn(body, response, frames)
    const replies = []
    for (const form of [COVERED, OPEN]) {
      const before = await spent()
      const response = await call({ ...form, ...fields })
      replies.push({
        status: response.status,
        body: timeless(await response.text()),
        charged: (await spent()) - before,
      })
    }
    expect(upstream.seen.map(({ stream }) => stream)).toEqual([false, true])
    expect(replies[0]).toEqual(replies[1])
  },
)

test('a response asked for whole is the one collected from a stream', async () => {
  const frames =
    chunk({ reasoning_content: 'two' }) + say('Let me', ' see.') + CALLS + argument(0, ':1}') + end('tool_calls')
  upstream.answer = (body, response) => answerIn(body, response, frames)
  const route = {
    path: 'responses',
    POST: POST_RESPONSE,
    body: { input: 'Hi', tools: [{ type: 'function', ...add.function }] },
  }
  const replies = []
  for (const { max_tokens: max_output_tokens, model } of [COVERED, OPEN]) {
    const response = await call({ model, max_output_tokens }, { route })
    const { output, usage, status, cost } = await response.json()
    replies.push({ output: output.map((item: object) => ({ ...item, id: '' })), usage, status, cost })
  }
  expect(upstream.seen.map(({ stream }) => stream)).toEqual([false, true])
  expect(replies[0]).toMatchObject({ status: 'completed' })
  expect(replies[0]).toEqual(replies[1])
})

test('what the hold does not cover, and what the caller streams, is asked for as a stream', async () => {
  upstream.answer = (body, response) => answerIn(body, response, say('Hi') + end())
  await call(COVERED)
  await call(OPEN)
  await call({ ...COVERED, stream: true })
  await call({ ...COVERED, max_tokens: 2_049, n: 2 })
  await call({ ...COVERED, max_tokens: 4_096, n: 2 })
  await call({ ...OPEN, model: 'roomy-free', max_tokens: undefined })
  const poor = await stage.openAccount(usd('5'), { keyLimit: usd('0.01') })
  const headers = { authorization: `Bearer ${poor.secret}` }
  await call(COVERED, { headers })
  expect(upstream.seen.map(({ stream }) => stream)).toEqual([false, true, true, false, false, false, false])
  expect(upstream.seen.at(-1)!.max_tokens).toBeLessThan(4_000)
})

test('a body that is cut comes as a stream instead, and is paid for once', async () => {
  const frames = say('Hello', ' there', ' friend') + end()
  upstream.answer = (body, response) => {
    if (body.stream) return sse(response, frames)
    response.writeHead(200, { 'content-length': '5000' }).write(wholeOf(frames).slice(0, -40))
    setTimeout(() => response.destroy(), 20)
  }
  const response = await call({ ...COVERED, model: 'cut' })
  expect(response.headers.get('x-retry-count')).toBe('1')
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello there friend' } }] })
  expect(await spent()).toBe(PRICE_OF_HELLO)
})

test('an answer that is cut whole and streamed is an error, and costs nothing', async () => {
  const frames = say('Hello', ' there', ' friend') + end()
  upstream.answer = (body, response) => {
    response.writeHead(200).write(body.stream ? say('Hello') : wholeOf(frames).slice(0, -40))
    setTimeout(() => response.destroy(), 20)
  }
  const response = await call({ ...COVERED, model: 'cut-twice' })
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ code: 'INFERENCE_FAILED' })
  expect(upstream.seen.map(({ stream }) => stream)).toEqual([false, true])
  expect(await spent()).toBe(0)
})

test.each([
  ['before a byte of it came', 0],
  ['when half of it came', 60],
])('a client that leaves %s ends the upstream and pays nothing', async (_, characters) => {
  upstream.answer = (_, response) => {
    if (characters > 0) response.writeHead(200).write(wholeOf(say('Hello') + end()).slice(0, characters))
  }
  const controller = new AbortController()
  const reply = call({ ...COVERED, model: 'gone' }, { signal: controller.signal })
  await expect.poll(() => upstream.seen.length).toBe(1)
  await sleep(20)
  controller.abort()
  expect((await reply).status).toBeGreaterThanOrEqual(400)
  await expect.poll(() => upstream.left).toBe(1)
  expect(upstream.seen).toMatchObject([{ stream: false }])
  expect(await spent()).toBe(0)
})

test('an answer that is not counted is charged by what was seen, and the next one is streamed', async () => {
  const frames = say('Hello', ' there', ' friend') + chunk({}, 'stop') + DONE
  upstream.answer = (body, response) => answerIn(body, response, frames)
  for (let round = 0; round < 2; round++) {
    const { usage } = await (await call({ ...COVERED, model: 'uncounted' })).json()
    expect(usage.completion_tokens).toBe(3)
  }
  expect(upstream.seen.map(({ stream }) => stream)).toEqual([false, true])
})

test('tools work with a server that refuses them in a stream', async () => {
  upstream.answer = (body, response) => {
    if (!body.stream) return answerIn(body, response, CALLS + argument(0, ':1}') + end('tool_calls'))
    response.writeHead(500).end(JSON.stringify({ error: { message: 'Cannot use tools with stream' } }))
  }
  const response = await call({ ...COVERED, model: 'refusing', tools: [add] })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
})
