import { expect, test } from 'vitest'
import type { ChatRequest } from '@/lib/engines/engine'
import { request } from '@/lib/engines/upstream/testing/fake-upstream'
import { type WireOptions, wireBody } from '@/lib/engines/upstream/wire'

const bodyOf = (more: Partial<ChatRequest> = {}, options: WireOptions = {}) =>
  JSON.parse(wireBody(request(more), options).toString())

test('says no more than was asked', () => {
  expect(bodyOf()).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 100,
  })
})

test('gives every field its name in the field', () => {
  const tool = { type: 'function' as const, function: { name: 'f' } }
  expect(
    bodyOf({
      sampling: {
        temperature: 0,
        topP: 0.5,
        topK: 0,
        minP: 0.1,
        minTemperature: 0.1,
        maxTemperature: 1,
        frequencyPenalty: 1,
        presencePenalty: -1,
        repetitionPenalty: 1.1,
        seed: 7,
      },
      n: 2,
      stop: ['x'],
      stopTokenIds: [5],
      logprobs: { top: 3 },
      tools: [tool],
      toolChoice: 'required',
      parallelToolCalls: false,
      responseFormat: { type: 'json_object' },
      reasoning: { effort: 'high' },
      verbosity: 'low',
      cacheKey: 'a:k',
      cacheRetention: '24h',
    }),
  ).toMatchObject({
    temperature: 0,
    top_p: 0.5,
    top_k: 0,
    min_p: 0.1,
    min_temp: 0.1,
    max_temp: 1,
    frequency_penalty: 1,
    presence_penalty: -1,
    repetition_penalty: 1.1,
    seed: 7,
    n: 2,
    stop: ['x'],
    stop_token_ids: [5],
    logprobs: true,
    top_logprobs: 3,
    tools: [tool],
    tool_choice: 'required',
    parallel_tool_calls: false,
    response_format: { type: 'json_object' },
    reasoning_effort: 'high',
    verbosity: 'low',
    prompt_cache_key: expect.stringMatching(/^[\w-]{43}$/),
    prompt_cache_retention: '24h',
  })
})

test('the bound on output goes by the name that the server takes', () => {
  const body = bodyOf({}, { maxTokensField: 'max_completion_tokens' })
  expect(body.max_completion_tokens).toBe(100)
  expect(body).not.toHaveProperty('max_tokens')
})

test.each<[string, ChatRequest['reasoning'], WireOptions, object]>([
  [
    'by the template',
    { isEnabled: false, effort: 'none' },
    {},
    { chat_template_kwargs: { enable_thinking: false, thinking: false } },
  ],
  ['by effort', { isEnabled: false }, { thinkingSwitch: 'reasoning_effort' }, { reasoning_effort: 'none' }],
])('turns thinking off %s', (_, reasoning, options, expected) => {
  const body = bodyOf({ reasoning }, options)
  expect(body).toMatchObject(expected)
  expect(Object.keys(body)).toHaveLength(6)
})

test('forwards unknown fields that only shape the output, and no others', () => {
  const good = { logit_bias: { 5: 1 }, guided_json: {}, min_tokens: 3, best_of: 3, chat_template_kwargs: { a: 1 } }
  const bad = {
    base_url: 'http://evil',
    api_base: 'x',
    headers: {},
    extra_body: {},
    extra_headers: {},
    model: 'other',
    stream: false,
    api_key: 'x',
    messages: [],
    max_tokens: 1e9,
    n: 100,
    constructor: 1,
    user: 'u',
  }
  const extra = { ...good, ...bad, ...JSON.parse('{"__proto__": {"model": "other"}}') }
  const body = bodyOf({ extra })
  expect(body).toEqual({ ...bodyOf(), ...good })
  expect(bodyOf({ extra: { best_of: 1_000 } })).toEqual(bodyOf())
})

test('messages pass as they are, but for a role that most templates do not know', () => {
  const messages: ChatRequest['messages'] = [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'x' }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', content: '1', tool_call_id: 'c' },
    { role: 'user', content: [{ type: 'text', text: 'Größe', cache_control: { type: 'ephemeral' } }] },
  ]
  expect(bodyOf({ messages }).messages).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages.slice(1)])
})
