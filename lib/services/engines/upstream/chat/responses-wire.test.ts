import { expect, test } from 'vitest'
import type { ChatRequest } from '@/lib/services/engines/engine'
import { responsesBody } from '@/lib/services/engines/upstream/chat/responses-wire'
import { collect, frame, request, sse } from '@/lib/services/engines/upstream/testing/fake-upstream'
import { serve } from '@/lib/services/engines/upstream/testing/serve'

const nativeSearch = { sources: ['web' as const, 'x' as const], maxResults: 10 }
const bodyOf = (more: Partial<ChatRequest>) => JSON.parse(responsesBody(request({ nativeSearch, ...more })).toString())

test('a conversation with calls and pictures becomes items', () => {
  const call = { id: 'c1', type: 'function' as const, function: { name: 'add', arguments: '{}' } }
  const { input } = bodyOf({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '3' },
      { role: 'assistant', content: 'Three.' },
    ],
  })
  expect(input).toEqual([
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      ],
    },
    { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: '3' },
    { role: 'assistant', content: 'Three.' },
  ])
})

test('functions stand beside the searches, and formats and effort have their own places', () => {
  const body = bodyOf({
    tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
    toolChoice: { type: 'function', function: { name: 'add' } },
    responseFormat: { type: 'json_schema', json_schema: { name: 'sum', schema: { type: 'object' } } },
    reasoning: { effort: 'low' },
  })
  expect(body).toMatchObject({
    tools: [{ type: 'web_search' }, { type: 'x_search' }, { type: 'function', name: 'add' }],
    tool_choice: { type: 'function', name: 'add' },
    text: { format: { type: 'json_schema', name: 'sum', schema: { type: 'object' } } },
    reasoning: { effort: 'low' },
    stream: true,
    store: false,
  })
})

async function said(...events: object[]) {
  const { engine } = await serve((_, response) => sse(response, events.map(frame).join('')))
  const tools = [{ type: 'function' as const, function: { name: 'add' } }]
  return (await collect(engine, request({ nativeSearch, tools }))).filter(({ type }) => type !== 'route')
}
const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12, output_tokens_details: { reasoning_tokens: 2 } }
const completed = (more: object = {}) => ({
  type: 'response.completed',
  response: { status: 'completed', usage, ...more },
})

test('thoughts, text, sources and use are read', async () => {
  expect(
    await said(
      { type: 'response.reasoning_summary_text.delta', delta: 'Hm.' },
      { type: 'response.output_text.delta', delta: 'It rains.' },
      {
        type: 'response.output_text.annotation.added',
        annotation: { type: 'url_citation', url: 'https://x.example/1', title: '1' },
      },
      completed({ citations: ['https://x.example/2'] }),
    ),
  ).toEqual([
    { type: 'reasoning-delta', choice: 0, text: 'Hm.' },
    { type: 'text-delta', choice: 0, text: 'It rains.' },
    { type: 'choice-end', choice: 0, reason: 'stop' },
    {
      type: 'sources',
      sources: [
        { title: 'x.example', url: 'https://x.example/1' },
        { title: 'x.example', url: 'https://x.example/2' },
      ],
      results: 2,
    },
    { type: 'usage', inputTokens: 7, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 2 },
  ])
})

test.each([
  [
    'in pieces',
    [
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: ':1}' },
    ],
  ],
  ['whole', []],
])('a call of the caller’s own tool, its arguments %s; the vendor’s own calls are none', async (_, pieces) => {
  const item = { type: 'function_call', call_id: 'c1', name: 'add', arguments: '' }
  const events = await said(
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'custom_tool_call', name: 'x_keyword_search' },
    },
    { type: 'response.output_item.added', output_index: 1, item },
    ...pieces,
    { type: 'response.output_item.done', output_index: 1, item: { ...item, arguments: '{"a":1}' } },
    completed(),
  )
  const calls = events.filter((event) => event.type === 'tool-call-delta')
  expect(calls[0]).toMatchObject({ index: 0, id: 'c1', name: 'add' })
  expect(calls.map((call) => call.arguments).join('')).toBe('{"a":1}')
  expect(events).toContainEqual({ type: 'choice-end', choice: 0, reason: 'tool_calls' })
})

test('an answer that was cut ends with length, and one that fails is an error', async () => {
  expect(
    await said(
      { type: 'response.output_text.delta', delta: 'It' },
      { type: 'response.incomplete', response: { status: 'incomplete', usage } },
    ),
  ).toContainEqual({ type: 'choice-end', choice: 0, reason: 'length' })
  await expect(said({ type: 'response.failed', response: { error: { code: 'server_error' } } })).rejects.toThrow()
  await expect(said({ type: 'error', code: 'invalid_request_error', message: 'no' })).rejects.toThrow()
})
