import { beforeEach, describe, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { scriptedUpstream } from '@/app/api/v1/chat/completions/testing/upstream'
import {
  called,
  ended,
  messageStream,
  refusal,
  replyStream,
  said,
  started,
  stopped,
  thought,
} from '@/lib/services/engines/upstream/testing/anthropic'
import { frame, sse } from '@/lib/services/engines/upstream/testing/fake-upstream'

const vendor = await scriptedUpstream()
const text = { type: 'text', contextTokens: 200_000, maxCompletionTokens: 8_000 }
const capabilities = {
  supportsFunctionCalling: true,
  supportsReasoning: true,
  supportsLogProbs: true,
  reasoningEffortOptions: ['low', 'high'],
}
const pricing = {
  input: { usd: 3 },
  output: { usd: 15 },
  cache_input: { usd: 0.3 },
  cache_write: { usd: 3.75 },
}
const baseUrls = [new URL(vendor.url).origin]
const { call, streamed, spent } = await chatStage({
  engines: { anthropic: { kind: 'anthropic', baseUrls }, google: { kind: 'google', baseUrls } },
  models: [
    { ...text, id: 'claude', engine: 'anthropic', capabilities, pricing, documentTypes: ['application/pdf'] },
    { ...text, id: 'gemini', engine: 'google', capabilities, pricing, documentTypes: ['application/pdf'] },
    { ...text, id: 'reader', engine: 'google', capabilities, pricing },
  ],
})

beforeEach(() => void Object.assign(vendor, { seen: [] }))

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
const question = { role: 'user', content: 'What will the weather be like in Saint Malo on Friday? '.repeat(4) }
const reasoning_effort = 'high'
const cache_control = { type: 'ephemeral' }
const parts = [{ ...question, content: [{ type: 'text', text: question.content, cache_control }] }]

test('a PDF reaches a model that reads it as it is, and others as text', async () => {
  const file_data = `data:application/pdf;base64,${Buffer.from('%PDF-1.7 no more than this').toString('base64')}`
  const data = file_data.split(',')[1]
  const ask = async (model: string, filename: string, type = 'file') => {
    await call({
      model,
      messages: [{ role: 'user', content: [{ type, file: { file_data, filename }, cache_control }] }],
    })
    return vendor.seen.at(-1)
  }
  vendor.answer = (_, response) => void response.writeHead(400).end('{}')
  expect(await ask('claude', 'tides.pdf')).toMatchObject({
    messages: [
      {
        content: [
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data },
            title: expect.stringContaining('tides.pdf'),
            cache_control,
          },
        ],
      },
    ],
  })
  expect(await ask('gemini', 'tides.pdf')).toMatchObject({
    contents: [{ parts: [{ inlineData: { mimeType: 'application/pdf', data } }] }],
  })
  expect(JSON.stringify(await ask('reader', 'tides.pdf'))).not.toContain('inlineData')
})

describe('claude', () => {
  const usage = { input_tokens: 20, cache_read_input_tokens: 100, cache_creation_input_tokens: 50, output_tokens: 1 }
  const counts = { output_tokens: 15, output_tokens_details: { thinking_tokens: 5 } }
  const answer = [
    started(usage),
    ...thought(0, 'On Friday?', 'EqQB'),
    ...said(1, 'It will ', 'rain.'),
    ended('end_turn', counts),
    stopped,
  ] as const

  test('an answer costs what its tokens cost, those from the cache and those written to it included', async () => {
    vendor.answer = (_, response) => replyStream(response, ...answer)
    const body = await (await call({ model: 'claude', messages: parts, reasoning_effort })).json()
    expect(body).toMatchObject({
      model: 'claude',
      choices: [{ finish_reason: 'stop', message: { content: 'It will rain.', reasoning_content: 'On Friday?' } }],
      usage: {
        prompt_tokens: 170,
        completion_tokens: 15,
        prompt_tokens_details: { cached_tokens: 100, cache_creation_input_tokens: 50 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      // 20 × 3 + 100 × 0.30 + 50 × 3.75 + 15 × 15 USD a million.
      cost: { usd: 0.0005025 },
    })
    expect(await spent()).toBe(0.0005025)
    expect(vendor.seen[0]).toMatchObject({
      max_tokens: 8_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      messages: [{ content: [{ type: 'text', cache_control }] }],
    })
    const { chunks } = await streamed({ model: 'claude', messages: parts, reasoning_effort })
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 170 }, cost: { usd: 0.0005025 } })
    expect(await spent()).toBe(0.001005)
  })

  test('thoughts of an answer that calls a tool go back as they came', async () => {
    const deep = 'Where is Saint Malo, and what day is it today? '.repeat(20)
    vendor.answer = (_, response) =>
      vendor.seen.length > 1
        ? replyStream(response, started({ ...usage, input_tokens: 1_200 }), ...answer.slice(1))
        : replyStream(
            response,
            started({ input_tokens: 560, output_tokens: 1 }),
            ...thought(0, deep, 'EqQBCgIYAhIM'),
            ...called(1, 'toolu_1', 'weather', '{"place":"Saint Malo"}'),
            ended('tool_use', { output_tokens: 320 }),
            stopped,
          )
    const asked = { model: 'claude', messages: [{ role: 'user', content: 'Rain?' }], tools, reasoning_effort }
    const body = await (await call(asked)).json()
    const { message, finish_reason } = body.choices[0]
    expect(finish_reason).toBe('tool_calls')
    // The vendor's own words about tools count, too: more than the question has bytes.
    expect(body.usage).toMatchObject({ prompt_tokens: 560, completion_tokens: 320 })
    const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'Rain from noon.' }
    const next = await (await call({ ...asked, messages: [...asked.messages, message, result] })).json()
    expect(next.choices[0].message.content).toBe('It will rain.')
    expect(next.usage).toMatchObject({ prompt_tokens: 1_350 })
    expect(vendor.seen[1]).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: deep, signature: 'EqQBCgIYAhIM' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { place: 'Saint Malo' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      ],
    })
  })

  test('what it does not take is refused by name, and what is refused or fails costs nothing', async () => {
    const failed = async (fields: object) => {
      const response = await call({ model: 'claude', messages: parts, ...fields })
      return [response.status, JSON.stringify(await response.json())]
    }
    expect(await failed({ n: 2 })).toEqual([400, expect.stringContaining('`n`')])
    vendor.answer = (_, response) => replyStream(response, started(), ended('refusal'), stopped)
    expect(await failed({})).toEqual([422, expect.stringContaining('refused this content')])
    vendor.answer = (_, response) =>
      void response.writeHead(529, { 'retry-after': '9' }).end(refusal('overloaded_error', 'Overloaded'))
    expect((await failed({}))[0]).toBe(429)
    vendor.answer = (_, response) =>
      void response
        .writeHead(200)
        .end(messageStream(started(), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }))
    expect((await failed({}))[0]).toBe(429)
    expect(await spent()).toBe(0)
  })
})

describe('gemini', () => {
  const part = (fields: object, more: object = {}) => ({
    candidates: [{ content: { parts: [fields], role: 'model' }, index: 0, ...more }],
    usageMetadata: {
      promptTokenCount: 170,
      cachedContentTokenCount: 100,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 5,
    },
  })

  test('an answer costs what its tokens cost, thoughts and those from the cache included', async () => {
    vendor.answer = (_, response) => {
      const end = part({ text: '', thoughtSignature: 'EqsFCqgF' }, { finishReason: 'STOP' })
      sse(response, [part({ text: 'On Friday?', thought: true }), part({ text: 'Rain.' }), end].map(frame).join(''))
    }
    const body = await (await call({ model: 'gemini', messages: parts, reasoning_effort })).json()
    expect(body).toMatchObject({
      choices: [
        {
          message: {
            content: 'Rain.',
            reasoning_content: 'On Friday?',
            reasoning_details: [{ type: 'reasoning.encrypted', data: 'EqsFCqgF' }],
          },
        },
      ],
      usage: {
        prompt_tokens: 170,
        completion_tokens: 15,
        prompt_tokens_details: { cached_tokens: 100, cache_creation_input_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      // 70 × 3 + 100 × 0.30 + 15 × 15 USD a million.
      cost: { usd: 0.000465 },
    })
    expect(await spent()).toBe(0.000465)
    expect(vendor.seen[0]).toMatchObject({
      generationConfig: {
        maxOutputTokens: 8_000,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
      },
    })
  })

  test('a prompt that it blocks costs nothing', async () => {
    vendor.answer = (_, response) => sse(response, frame({ promptFeedback: { blockReason: 'SAFETY' } }))
    expect((await call({ model: 'gemini' })).status).toBe(422)
    expect(await spent()).toBe(0)
  })
})
