import { describe, expect, test } from 'vitest'
import type { ChatRequest, ChatTool, ContentPart, TextPart } from '@/lib/services/engines/engine'
import { type WireOptions, wireBody } from '@/lib/services/engines/upstream/chat/wire'
import { request } from '@/lib/services/engines/upstream/testing/fake-upstream'

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

test('a whole answer is asked for without a stream and its options', () => {
  expect(bodyOf({ isWhole: true, promptLogprobs: { top: 2 } })).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: false,
    max_tokens: 100,
    prompt_logprobs: 2,
  })
})

const tool = { type: 'function' as const, function: { name: 'f', parameters: { type: 'object' }, strict: true } }
const named = { type: 'function' as const, function: { name: 'f' } }
const schema = { name: 'answer', schema: { type: 'object' }, strict: true }

test.each<[string, Partial<ChatRequest>, object]>([
  ['temperature', { sampling: { temperature: 0 } }, { temperature: 0 }],
  ['top_p', { sampling: { topP: 0.5 } }, { top_p: 0.5 }],
  ['top_k', { sampling: { topK: 0 } }, { top_k: 0 }],
  ['min_p', { sampling: { minP: 0.1 } }, { min_p: 0.1 }],
  ['dynamic temperature', { sampling: { minTemperature: 0.1, maxTemperature: 1 } }, { min_temp: 0.1, max_temp: 1 }],
  ['frequency_penalty', { sampling: { frequencyPenalty: 1 } }, { frequency_penalty: 1 }],
  ['presence_penalty', { sampling: { presencePenalty: -1 } }, { presence_penalty: -1 }],
  ['repetition_penalty', { sampling: { repetitionPenalty: 1.1 } }, { repetition_penalty: 1.1 }],
  ['seed', { sampling: { seed: 7 } }, { seed: 7 }],
  ['n', { n: 2 }, { n: 2 }],
  ['stop', { stop: ['x', '日'] }, { stop: ['x', '日'] }],
  ['stop_token_ids', { stopTokenIds: [5] }, { stop_token_ids: [5] }],
  ['logprobs', { logprobs: { top: 0 } }, { logprobs: true, top_logprobs: 0 }],
  ['top_logprobs', { logprobs: { top: 3 } }, { logprobs: true, top_logprobs: 3 }],
  ['tools', { tools: [tool] }, { tools: [tool] }],
  ['tool_choice auto', { tools: [tool], toolChoice: 'auto' }, { tools: [tool], tool_choice: 'auto' }],
  ['tool_choice none', { tools: [tool], toolChoice: 'none' }, { tools: [tool], tool_choice: 'none' }],
  ['tool_choice required', { tools: [tool], toolChoice: 'required' }, { tools: [tool], tool_choice: 'required' }],
  ['tool_choice by name', { tools: [tool], toolChoice: named }, { tools: [tool], tool_choice: named }],
  ['tool_choice without tools', { toolChoice: 'required', parallelToolCalls: true }, {}],
  ['parallel_tool_calls', { tools: [tool], parallelToolCalls: false }, { tools: [tool], parallel_tool_calls: false }],
  ['text', { responseFormat: { type: 'text' } }, { response_format: { type: 'text' } }],
  ['json_object', { responseFormat: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
  [
    'json_schema',
    { responseFormat: { type: 'json_schema', json_schema: schema } },
    { response_format: { type: 'json_schema', json_schema: schema } },
  ],
  ...(['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map(
    (effort) =>
      [`effort ${effort}`, { reasoning: { effort } }, { reasoning_effort: effort }] as [string, object, object],
  ),
  [
    'a summary of the reasoning',
    { reasoning: { effort: 'high', summary: 'concise' } },
    { reasoning_effort: 'high', reasoning: { effort: 'high', summary: 'concise' } },
  ],
  [
    'reasoning on',
    { reasoning: { isEnabled: true } },
    { chat_template_kwargs: { enable_thinking: true, thinking: true } },
  ],
  ['verbosity', { verbosity: 'low' }, { verbosity: 'low' }],
  ['verbosity auto, which is none', { verbosity: 'auto' }, {}],
  ['prompt_cache_key', { cacheKey: 'a:k' }, { prompt_cache_key: expect.stringMatching(/^[\w-]{43}$/) }],
  ['the owner of a prompt, which stays here', { cacheScope: 'account-1' }, {}],
  ['retention default', { cacheRetention: 'default' }, {}],
  ['retention extended', { cacheRetention: 'extended' }, { prompt_cache_retention: '24h' }],
  ['retention 24h', { cacheRetention: '24h' }, { prompt_cache_retention: '24h' }],
])('%s goes by its name in the field, and nothing goes with it', (_, asked, expected) => {
  expect(bodyOf(asked)).toEqual({ ...bodyOf(), ...expected })
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

describe('messages', () => {
  const sent = (...messages: ChatRequest['messages']) => bodyOf({ messages }).messages
  const cache_control = { type: 'ephemeral' as const }

  test('pass as they are, but for a role that most templates do not know', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'developer', content: 'Be brief.', name: 'ops' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', signature: 's', index: 0, format: null }],
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', content: '1', tool_call_id: 'c', name: 'f' },
      { role: 'user', content: 'Größe', name: 'ann' },
    ]
    expect(sent(...messages)).toEqual([{ role: 'system', content: 'Be brief.', name: 'ops' }, ...messages.slice(1)])
  })

  test('hold images, sounds and videos in the form of the field, in their order', () => {
    const content: ContentPart[] = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA' } },
    ]
    expect(sent({ role: 'user', content })).toEqual([{ role: 'user', content }])
  })

  test('whose parts are all text are that text, whoever speaks', () => {
    const content: TextPart[] = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
    expect(
      sent(
        { role: 'system', content },
        { role: 'user', content },
        { role: 'assistant', content, tool_calls: [call] },
        { role: 'tool', content, tool_call_id: 'c' },
      ).map((message: { content: unknown }) => message.content),
    ).toEqual(Array(4).fill('one\ntwo'))
  })

  test('keep their parts where one marks a prefix for the cache, without the time that it asks for', () => {
    const marked = { type: 'text' as const, text: 'long', cache_control: { ...cache_control, ttl: '1h' } }
    const kept = { type: 'text', text: 'long', cache_control }
    expect(sent({ role: 'system', content: [marked] }, { role: 'user', content: [marked] })).toEqual([
      { role: 'system', content: [kept] },
      { role: 'user', content: [kept] },
    ])
  })

  test('and tools hold nothing that the field does not know', () => {
    const strange = { headers: {}, detail: 'high', thought_signature: 's' }
    const image = { type: 'image_url', image_url: { url: 'data:,', ...strange }, ...strange }
    const messages = [{ role: 'user', content: [image], ...strange }] as unknown as ChatRequest['messages']
    const tools = [{ ...tool, id: 'x', function: { ...tool.function, ...strange } }] as unknown as ChatTool[]
    expect(bodyOf({ messages, tools })).toEqual({
      ...bodyOf(),
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }],
      tools: [tool],
    })
  })
})
