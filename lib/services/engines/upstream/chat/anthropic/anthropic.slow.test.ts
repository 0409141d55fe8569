import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatMessage, ChatRequest, ChatTool } from '@/lib/services/engines/engine'
import {
  begun,
  called,
  continued,
  ended,
  finished,
  HELLO,
  messageStream,
  ping,
  refusal,
  replyStream,
  said,
  started,
  stopped,
  thought,
} from '@/lib/services/engines/upstream/testing/anthropic'
import { collect, type FakeHandler, request, textOf } from '@/lib/services/engines/upstream/testing/fake-upstream'
import { engineOf, serve, upstream } from '@/lib/services/engines/upstream/testing/serve'

const KIND = { kind: 'anthropic' as const, apiKey: 'sk-ant-secret' }
const ROUTE: ChatEvent = { type: 'route', router: 'house', retries: 0 }
const weather: ChatTool = {
  type: 'function',
  function: { name: 'get_weather', description: 'Tells the weather.', parameters: { type: 'object', properties: {} } },
}

const serveAnthropic = (handler: FakeHandler) => serve(handler, KIND)

async function answered(events: Parameters<typeof messageStream>, wanted = request()): Promise<ChatEvent[]> {
  const { engine } = await serveAnthropic((_, response) => replyStream(response, ...events))
  return (await collect(engine, wanted)).slice(1)
}

async function sent(more: Partial<ChatRequest>) {
  const { fake, engine } = await serveAnthropic((_, response) => replyStream(response, ...HELLO))
  await collect(engine, request(more))
  return fake.bodies[0] as Record<string, unknown>
}

describe('an answer', () => {
  test('is asked for with the vendor’s headers and path, and its text and usage are read', async () => {
    const seen: unknown[] = []
    const { fake, engine } = await serveAnthropic((message, response) => {
      const { 'x-api-key': key, 'anthropic-version': version, authorization } = message.headers
      seen.push(message.method, message.url, key, version, authorization)
      replyStream(response, ...HELLO)
    })
    expect(await collect(engine, request({ messages: [{ role: 'user', content: 'Hello' }] }))).toEqual([
      ROUTE,
      { type: 'text-delta', choice: 0, text: 'Hello' },
      { type: 'text-delta', choice: 0, text: '!' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
      { type: 'usage', inputTokens: 25, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 15, reasoningTokens: 0 },
    ])
    expect(seen).toEqual(['POST', '/v1/messages', 'sk-ant-secret', '2023-06-01', undefined])
    expect(fake.bodies[0]).toEqual({
      model: 'm',
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    })
  })

  test('is asked for at the version of the API also where the base URL lacks it', async () => {
    const urls: unknown[] = []
    const fake = await upstream((message, response) => {
      urls.push(message.url)
      replyStream(response, ...HELLO)
    })
    const origin = new URL(fake.baseUrl).origin
    for (const base of [origin, `${origin}/`, `${origin}/anthropic`, `${origin}/anthropic/v1/`]) {
      await collect(engineOf([base], KIND))
    }
    expect(urls).toEqual(['/v1/messages', '/v1/messages', '/anthropic/v1/messages', '/anthropic/v1/messages'])
  })

  test('counts what was read from the cache and written to it as part of its input', async () => {
    const usage = {
      input_tokens: 21,
      cache_creation_input_tokens: 188_086,
      cache_read_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 188_086, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      service_tier: 'standard',
    }
    const details = { output_tokens: 393, output_tokens_details: { thinking_tokens: 139 } }
    expect((await answered([started(usage), ...said(0, 'Hi'), ended('end_turn', details), stopped])).at(-1)).toEqual({
      type: 'usage',
      inputTokens: 189_107,
      cachedTokens: 1_000,
      cacheWriteTokens: 188_086,
      outputTokens: 393,
      reasoningTokens: 139,
    })
  })

  test('takes later counts over earlier ones', async () => {
    const events = await answered([
      started({ input_tokens: 43, output_tokens: 1 }),
      ...said(0, 'pong'),
      ended('end_turn', { input_tokens: 61, cache_read_input_tokens: null, output_tokens: 2 }),
      stopped,
    ])
    expect(events.at(-1)).toMatchObject({ inputTokens: 61, outputTokens: 2 })
  })

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['a reason of next year', 'stop'],
  ])('that stops with %s ends with %s', async (reason, expected) => {
    const events = await answered([started(), ...said(0, 'Hi'), ended(reason), stopped])
    expect(events).toContainEqual({ type: 'choice-end', choice: 0, reason: expected })
  })

  test('is read as a whole from a server that does not stream', async () => {
    const { engine } = await serveAnthropic((_, response) =>
      response.end(
        JSON.stringify({
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { location: 'Paris' } },
          ],
          stop_reason: 'tool_use',
          usage: { input_tokens: 7, output_tokens: 9 },
        }),
      ),
    )
    expect((await collect(engine)).slice(1)).toEqual([
      { type: 'reasoning-delta', choice: 0, text: 'Hm.' },
      { type: 'reasoning-details', choice: 0, details: [expect.objectContaining({ text: 'Hm.', signature: 'EqQB' })] },
      { type: 'text-delta', choice: 0, text: 'Let me see.' },
      { type: 'tool-call-delta', choice: 0, index: 0, id: 'toolu_1', name: 'get_weather', arguments: '' },
      { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{"location":"Paris"}' },
      { type: 'choice-end', choice: 0, reason: 'tool_calls' },
      { type: 'usage', inputTokens: 7, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 9, reasoningTokens: 0 },
    ])
  })
})

describe('calls', () => {
  test('several at a time keep their ids and pieces of arguments', async () => {
    const events = await answered(
      [
        started(),
        ...said(0, 'I will look.'),
        ...called(1, 'toolu_1', 'get_weather', '{"location": "San', ' Francisco"}'),
        ...called(2, 'toolu_2', 'get_weather', '{"location": "NYC"}'),
        ...called(3, 'toolu_3', 'get_time'),
        ended('tool_use'),
        stopped,
      ],
      request({ tools: [weather] }),
    )
    const calls = events.filter((event) => event.type === 'tool-call-delta')
    const named = calls.filter(({ name }) => name !== undefined)
    expect(named.map(({ index, id, name }) => [index, id, name])).toEqual([
      [0, 'toolu_1', 'get_weather'],
      [1, 'toolu_2', 'get_weather'],
      [2, 'toolu_3', 'get_time'],
    ])
    const textOfCall = (at: number) => calls.flatMap((call) => (call.index === at ? [call.arguments] : [])).join('')
    expect([0, 1, 2].map(textOfCall)).toEqual(['{"location": "San Francisco"}', '{"location": "NYC"}', '{}'])
    expect(events).toContainEqual({ type: 'choice-end', choice: 0, reason: 'tool_calls' })
  })

  const choices: [string, Partial<ChatRequest>, unknown][] = [
    ['auto', { toolChoice: 'auto' }, { type: 'auto' }],
    ['none', { toolChoice: 'none' }, { type: 'none' }],
    ['required', { toolChoice: 'required' }, { type: 'any' }],
    [
      'one function',
      { toolChoice: { type: 'function', function: { name: 'get_weather' } } },
      { type: 'tool', name: 'get_weather' },
    ],
    ['one at a time', { parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      'one at a time, required',
      { toolChoice: 'required', parallelToolCalls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
  ]
  test.each(choices)('may be chosen: %s', async (_, more, expected) => {
    const body = await sent({ tools: [weather], ...more })
    expect(body.tool_choice).toEqual(expected)
    expect(body.tools).toEqual([
      { name: 'get_weather', description: 'Tells the weather.', input_schema: { type: 'object', properties: {} } },
    ])
  })

  test('of a function that is no longer offered are declared, and no new ones are made', async () => {
    const call = { id: 'call|1', type: 'function' as const, function: { name: 'search', arguments: 'not JSON' } }
    const body = await sent({
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call|1', content: 'Found' },
      ],
    })
    expect(body).toMatchObject({
      tools: [{ name: 'search', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
      messages: [
        { role: 'user' },
        { content: [{ type: 'tool_use', id: 'call_1', name: 'search', input: { arguments: 'not JSON' } }] },
        { content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'Found' }] }] },
      ],
    })
  })
})

describe('thoughts', () => {
  const signature = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'
  const call = { id: 'toolu_1', type: 'function' as const, function: { name: 'get_weather', arguments: '{"a":1}' } }
  const reasoning = { isEnabled: true, effort: 'high' as const }

  test('go back with their signatures, where they stood, in the turn after a call', async () => {
    const { fake, engine } = await serveAnthropic((_, response, round) =>
      round > 1
        ? replyStream(response, ...HELLO)
        : replyStream(
            response,
            started(),
            ...thought(0, 'The user wants weather.', signature),
            begun(1, { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' }),
            finished(1),
            ...said(2, 'I will look.'),
            ...thought(3, 'In Paris.', 'second'),
            ...called(4, 'toolu_1', 'get_weather', '{"a":1}'),
            ended('tool_use'),
            stopped,
          ),
    )
    const messages: ChatMessage[] = [{ role: 'user', content: 'Weather in Paris?' }]
    const events = await collect(engine, request({ messages, tools: [weather], reasoning }))
    expect(events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.text] : []))).toEqual([
      'The user wants weather.',
      'In Paris.',
    ])
    const details = events.flatMap((event) => (event.type === 'reasoning-details' ? event.details : []))
    expect(details).toEqual([
      { type: 'reasoning.text', text: 'The user wants weather.', signature, index: 0, format: 'anthropic-claude-v1' },
      { type: 'reasoning.encrypted', data: 'EmwKAhgBEgy3va3pzix', index: 1, format: 'anthropic-claude-v1' },
      { type: 'reasoning.text', text: 'In Paris.', signature: 'second', index: 3, format: 'anthropic-claude-v1' },
    ])
    const next: ChatMessage[] = [
      ...messages,
      { role: 'assistant', content: textOf(events), tool_calls: [call], reasoning_details: details },
      { role: 'tool', tool_call_id: 'toolu_1', content: '{"sky":"clear"}' },
    ]
    expect(textOf(await collect(engine, request({ messages: next, tools: [weather], reasoning })))).toBe('Hello!')
    expect(fake.bodies[1]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Weather in Paris?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'The user wants weather.', signature },
          { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
          { type: 'text', text: 'I will look.' },
          { type: 'thinking', thinking: 'In Paris.', signature: 'second' },
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { a: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '{"sky":"clear"}' }] },
        ],
      },
    ])
  })

  test('of other vendors stay away, and a bare text with its signature goes along', async () => {
    const foreign = { type: 'reasoning.encrypted', data: 'x', format: 'google-gemini-v1' }
    const body = await sent({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', reasoning_details: [foreign, { type: 'reasoning.summary', summary: 's' }] },
        { role: 'user', content: 'c' },
        { role: 'assistant', content: 'd', reasoning_content: 'hm', thought_signature: 'sig' },
        { role: 'user', content: 'e' },
      ],
    })
    expect(body.messages).toMatchObject([
      {},
      { content: [{ type: 'text', text: 'b' }] },
      {},
      { content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, { text: 'd' }] },
      {},
    ])
  })

  test('that the server does not know are left out, and the next request sends its own again', async () => {
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block'
    const { fake, engine } = await serveAnthropic((_, response, round) =>
      round === 1
        ? response.writeHead(400).end(refusal('invalid_request_error', message))
        : replyStream(response, ...HELLO),
    )
    const details = [{ type: 'reasoning.text', text: 'hm', signature: 'theirs' }]
    const messages: ChatMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', reasoning_details: details },
      { role: 'user', content: 'c' },
    ]
    expect(textOf(await collect(engine, request({ messages })))).toBe('Hello!')
    await collect(engine, request({ messages }))
    const thoughts = fake.bodies.map((body) => JSON.stringify(body).includes('theirs'))
    expect(thoughts).toEqual([true, false, true])
  })

  const settings: [string, Partial<ChatRequest>, object][] = [
    ['are not mentioned without a word of them', {}, { thinking: undefined, output_config: undefined }],
    [
      'are as deep as the effort',
      { reasoning: { effort: 'medium' } },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    ['are as deep as the model likes', { reasoning: { isEnabled: true } }, { thinking: { type: 'adaptive' } }],
    ['know no effort below low', { reasoning: { effort: 'minimal' } }, { output_config: { effort: 'low' } }],
    ['can be switched off', { reasoning: { effort: 'none' } }, { thinking: { type: 'disabled' } }],
    [
      'leave no room for sampling',
      { reasoning: { effort: 'max' }, sampling: { temperature: 0.5, topK: 5 } },
      { temperature: undefined, top_k: undefined, output_config: { effort: 'max' } },
    ],
    [
      'give way to an answer that was begun',
      {
        reasoning: { effort: 'high' },
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
      },
      { thinking: undefined, output_config: undefined },
    ],
    [
      'give way to a forced call',
      { reasoning: { effort: 'high' }, tools: [weather], toolChoice: 'required' },
      { thinking: undefined },
    ],
  ]
  test.each(settings)('%s', async (_, more, expected) => {
    expect(await sent(more)).toMatchObject(
      Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
    )
    const body = await sent(more)
    for (const [name, value] of Object.entries(expected)) if (value === undefined) expect(body).not.toHaveProperty(name)
  })
})

describe('what a model does not take', () => {
  /** Refuses a request as long as `isRefused` finds something in it, and counts. */
  async function picky(isRefused: (body: Record<string, unknown>) => string | undefined) {
    const { fake, engine } = await serveAnthropic((_, response, round) => {
      const message = isRefused(fake.bodies[round - 1]!)
      if (message === undefined) replyStream(response, ...HELLO)
      else response.writeHead(400).end(refusal('invalid_request_error', message))
    })
    return { fake, engine }
  }

  test('sampling is left out, and never sent to that model again', async () => {
    const { fake, engine } = await picky((body) =>
      body.model === 'new' && 'temperature' in body ? '`temperature` is deprecated for this model.' : undefined,
    )
    const wanted = (model: string) => request({ model, sampling: { temperature: 0.2 } })
    expect(textOf(await collect(engine, wanted('new')))).toBe('Hello!')
    await collect(engine, wanted('new'))
    await collect(engine, wanted('old'))
    expect(fake.bodies.map(({ temperature }) => temperature)).toEqual([0.2, undefined, undefined, 0.2])
  })

  test('several things, one after the other', async () => {
    const { fake, engine } = await picky((body) => {
      const { effort, format } = (body.output_config ?? {}) as { effort?: string; format?: object }
      if (effort) return 'This model does not support the effort parameter.'
      if (JSON.stringify(body.thinking)?.includes('adaptive')) return 'adaptive thinking is not supported on this model'
      if (format) return 'output_config.format is not supported on this model'
      return JSON.stringify(body.tools)?.includes('strict')
        ? 'tools.0.custom.strict: Extra inputs are not permitted'
        : undefined
    })
    const strict: ChatTool = { ...weather, function: { ...weather.function, strict: true } }
    const responseFormat = { type: 'json_schema' as const, json_schema: { name: 'x', schema: { type: 'object' } } }
    const wanted = request({ tools: [strict], responseFormat, reasoning: { effort: 'high' }, maxTokens: 5_000 })
    expect((await collect(engine, wanted))[0]).toEqual({ ...ROUTE, retries: 4 })
    expect((await collect(engine, wanted))[0]).toEqual(ROUTE)
    expect(fake.bodies.at(-1)).toMatchObject({
      tools: [{ name: 'get_weather' }, { name: 'json_answer' }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    })
  })

  test('a server that refuses the same thing for ever is not asked for ever', async () => {
    const { fake, engine } = await picky(() => '`temperature` is deprecated for this model.')
    await expect(collect(engine, request({ sampling: { temperature: 0.5 } }))).rejects.toMatchObject({
      reason: 'invalid-request',
    })
    expect(fake.bodies).toHaveLength(2)
  })

  test('two kinds of sampling become one', async () => {
    const { fake, engine } = await picky(({ top_p }) =>
      top_p === undefined ? undefined : '`temperature` and `top_p` cannot both be specified for this model. Use one.',
    )
    await collect(engine, request({ sampling: { temperature: 1.7, topP: 0.9 } }))
    expect(fake.bodies[1]).toMatchObject({ temperature: 1 })
  })

  test('thinking by effort becomes a budget of the tokens that there are', async () => {
    const { fake, engine } = await picky((body) =>
      JSON.stringify(body.thinking)?.includes('adaptive')
        ? 'adaptive thinking is not supported on this model'
        : undefined,
    )
    await collect(engine, request({ maxTokens: 16_000, reasoning: { effort: 'medium' } }))
    expect(fake.bodies[1]).toMatchObject({ max_tokens: 16_000, thinking: { type: 'enabled', budget_tokens: 8_000 } })
    expect(fake.bodies[1]).not.toHaveProperty('output_config')
    await collect(engine, request({ maxTokens: 2_000, reasoning: { effort: 'low' } }))
    expect(fake.bodies[2]).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 1_024 } })
    await collect(engine, request({ maxTokens: 1_000, reasoning: { effort: 'low' } }))
    expect(fake.bodies[3]).not.toHaveProperty('thinking')
    const call = { id: 'c1', type: 'function' as const, function: { name: 'get_weather', arguments: '{}' } }
    const messages: ChatMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'b' },
    ]
    const more = { maxTokens: 16_000, tools: [weather], reasoning: { effort: 'high' as const } }
    await collect(engine, request({ messages, ...more }))
    expect(fake.bodies[4]).not.toHaveProperty('thinking')
  })

  test('a schema of the answer becomes a call whose arguments are the answer', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', maxLength: 9 }, at: { oneOf: [{ type: 'null' }, { type: 'integer' }] } },
      required: ['name'],
    }
    const { fake, engine } = await serveAnthropic((_, response, round) =>
      round === 1
        ? response
            .writeHead(400)
            .end(refusal('invalid_request_error', 'output_config.format: structured output is not supported'))
        : replyStream(
            response,
            started(),
            ...called(0, 'toolu_1', 'json_answer', '{"name": ', '"Ada"}'),
            ended('tool_use'),
            stopped,
          ),
    )
    const responseFormat = { type: 'json_schema' as const, json_schema: { name: 'person', schema } }
    const events = await collect(engine, request({ responseFormat, reasoning: { effort: 'high' } }))
    expect(textOf(events)).toBe('{"name": "Ada"}')
    expect(events).toContainEqual({ type: 'choice-end', choice: 0, reason: 'stop' })
    expect(fake.bodies[0]?.output_config).toEqual({
      effort: 'high',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string', description: '{maxLength: 9}' },
            at: { anyOf: [{ type: 'null' }, { type: 'integer' }] },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    })
    expect(fake.bodies[1]).toMatchObject({
      tools: [{ name: 'json_answer', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'json_answer', disable_parallel_tool_use: true },
    })
    expect(fake.bodies[1]).not.toHaveProperty('thinking')
  })

  test('a fault of the caller’s own tool teaches nothing about the model', async () => {
    const message = 'tools.0.custom.input_schema: temperature: should be a dictionary'
    const { fake, engine } = await picky(({ tools }) => (tools ? message : undefined))
    const sampling = { temperature: 0.5 }
    await expect(collect(engine, request({ sampling, tools: [weather] }))).rejects.toMatchObject({
      reason: 'invalid-request',
      message: expect.stringContaining('input_schema'),
    })
    await collect(engine, request({ sampling }))
    expect(fake.bodies.map(({ temperature }) => temperature)).toEqual([0.5, 0.5])
  })

  const unknown: [string, Partial<ChatRequest>][] = [
    ['n', { n: 2 }],
    ['logprobs', { logprobs: { top: 2 } }],
    ['frequency_penalty', { sampling: { frequencyPenalty: 0.5 } }],
    ['presence_penalty', { sampling: { presencePenalty: -1 } }],
    ['repetition_penalty', { sampling: { repetitionPenalty: 1.1 } }],
    ['min_p', { sampling: { minP: 0.1 } }],
    ['stop_token_ids', { stopTokenIds: [1] }],
  ]
  test.each(unknown)('%s is refused by name, and no call is made', async (name, more) => {
    const { fake, engine } = await serveAnthropic((_, response) => replyStream(response, ...HELLO))
    await expect(collect(engine, request(more))).rejects.toMatchObject({
      name: 'EngineError',
      reason: 'invalid-request',
      message: expect.stringContaining(`\`${name}\``),
    })
    expect(fake.bodies).toEqual([])
  })

  test('neutral values of those, and hints, are left out', async () => {
    const sampling = { frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1, minP: 0, topK: 0, seed: 7 }
    expect(Object.keys(await sent({ sampling, verbosity: 'low', cacheKey: 'k', extra: { thinking: 1 } }))).toEqual([
      'model',
      'max_tokens',
      'stream',
      'messages',
    ])
  })

  test.each([
    ['audio', { type: 'input_audio' as const, input_audio: { data: 'UklGRg==', format: 'wav' as const } }],
    ['video', { type: 'video_url' as const, video_url: { url: 'data:video/mp4;base64,AAAA' } }],
  ])('%s is refused by name', async (name, part) => {
    await expect(sent({ messages: [{ role: 'user', content: [part] }] })).rejects.toMatchObject({
      reason: 'invalid-request',
      message: expect.stringContaining(name),
    })
  })
})

test('a conversation with system messages, pictures and marks for the cache', async () => {
  const cache_control = { type: 'ephemeral' as const, ttl: '1h' }
  const body = await sent({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control }] },
      { role: 'assistant', content: 'Welcome.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'text', text: ' \n' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' }, cache_control },
        ],
      },
      { role: 'user', content: 'And?' },
      { role: 'developer', content: 'In French.' },
      { role: 'assistant', content: 'C’est \n' },
    ],
    stop: ['\n\nHuman:'],
    sampling: { temperature: 0.3, topP: 0.9, topK: 40 },
    responseFormat: { type: 'json_object' },
  })
  const cached = { cache_control: { type: 'ephemeral' } }
  expect(body).toMatchObject({
    system: [
      { type: 'text', text: 'Be brief.', ...cached },
      { type: 'text', text: 'In French.' },
      { type: 'text', text: expect.stringContaining('JSON object') },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Welcome.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' }, ...cached },
          { type: 'text', text: 'And?' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'C’est' }] },
    ],
    stop_sequences: ['\n\nHuman:'],
    temperature: 0.3,
    top_p: 0.9,
    top_k: 40,
  })
})

test('a conversation of system messages alone is a user’s', async () => {
  const body = await sent({ messages: [{ role: 'system', content: 'Say hello.' }] })
  expect(body).not.toHaveProperty('system')
  expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }])
})

describe('what goes wrong', () => {
  const failed = async (handler: FakeHandler, wanted = request()) => {
    const { fake, engine } = await serveAnthropic(handler)
    const events: ChatEvent[] = []
    const error = await (async () => {
      for await (const event of engine.stream(wanted, new AbortController().signal)) events.push(event)
      return undefined
    })().catch((thrown) => thrown)
    return { error, events, calls: fake.bodies.length }
  }
  const refuse =
    (status: number, type: string, message: string, headers: Record<string, string> = {}): FakeHandler =>
    (_, response) =>
      response.writeHead(status, headers).end(refusal(type, message))

  test('an overloaded server says when to come back', async () => {
    const { error } = await failed(refuse(529, 'overloaded_error', 'Overloaded', { 'retry-after': '7' }))
    expect(error).toMatchObject({ reason: 'overloaded', retryAfterSeconds: 7 })
    expect((await failed(refuse(429, 'rate_limit_error', 'slow down'))).error).toMatchObject({ reason: 'overloaded' })
  })

  test('an overloaded server is passed over for another one', async () => {
    const busy = await upstream(refuse(529, 'overloaded_error', 'Overloaded'))
    const well = await upstream((_, response) => replyStream(response, ...HELLO))
    const engine = engineOf([busy.baseUrl, well.baseUrl], KIND)
    for (let round = 0; round < 4; round++) expect(textOf(await collect(engine))).toBe('Hello!')
    expect(busy.bodies.length).toBeGreaterThan(0)
  })

  test('a server that fails once is asked again', async () => {
    const { engine } = await serveAnthropic((_, response, round) =>
      round === 1 ? response.writeHead(500).end(refusal('api_error', 'oops')) : replyStream(response, ...HELLO),
    )
    expect((await collect(engine))[0]).toEqual({ type: 'route', router: 'house', retries: 1 })
  })

  const streamed: [string, string, object][] = [
    ['overloaded_error', 'Overloaded', { reason: 'overloaded' }],
    ['rate_limit_error', 'x', { reason: 'overloaded' }],
    ['api_error', 'Internal server error', { reason: 'failed' }],
    ['timeout_error', 'x', { reason: 'timeout' }],
    ['invalid_request_error', 'x', { reason: 'invalid-request' }],
  ]
  test.each(streamed)('an answer that breaks off with %s keeps its text', async (type, message, expected) => {
    const error = { type: 'error', error: { type, message } }
    const { error: thrown, events } = await failed((_, response) =>
      replyStream(response, started(), ...said(0, 'Hel'), error),
    )
    expect(textOf(events)).toBe('Hel')
    expect(thrown).toMatchObject({ name: 'UpstreamError', ...expected })
  })

  test('an answer without its end was cut', async () => {
    const cut = await failed((_, response) => replyStream(response, started(), ...said(0, 'Hel')))
    expect([textOf(cut.events), cut.error?.reason]).toEqual(['Hel', 'failed'])
    const reset = await failed((message, response) => {
      response.writeHead(200).write(messageStream(started(), ...said(0, 'Hel')))
      setTimeout(() => message.socket.destroy(), 30)
    })
    expect([textOf(reset.events), reset.error?.reason]).toEqual(['Hel', 'failed'])
  })

  test('an answer that goes on pinging and says nothing is given up', async () => {
    const { error } = await failed((_, response) => {
      response.writeHead(200).write(messageStream(started()))
      const timer = setInterval(() => response.write(messageStream(ping)), 20)
      response.on('close', () => clearInterval(timer))
    })
    expect(error).toMatchObject({ reason: 'timeout' })
  })

  test('a refusal before the first word is the content’s fault, and a later one ends the answer', async () => {
    const details = {
      stop_details: { type: 'refusal', category: 'cyber', explanation: 'This request triggered restrictions.' },
    }
    const early = await failed((_, response) =>
      replyStream(response, started(), ping, ended('refusal', { output_tokens: 5 }, details), stopped),
    )
    expect(early).toMatchObject({ error: { reason: 'content-policy' }, calls: 1 })
    const late = await failed((_, response) =>
      replyStream(response, started(), ...said(0, 'First,'), ended('refusal', { output_tokens: 5 }), stopped),
    )
    expect(late.error).toBeUndefined()
    expect(late.events.map(({ type }) => type)).toEqual(['route', 'text-delta', 'choice-end', 'usage'])
  })

  const operator: [number, string, string][] = [
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API. Please go to Plans.'],
    [401, 'authentication_error', 'invalid x-api-key sk-ant-secret'],
    [403, 'permission_error', 'Your API key does not have permission to use the specified resource.'],
  ]
  test.each(operator)('the operator’s own trouble stays with the operator: %s %s', async (status, type, message) => {
    const { error } = await failed(refuse(status, type, message))
    expect(error).toMatchObject({ reason: 'failed', message: 'The model cannot be used at the moment.' })
  })

  test('the key appears in no message', async () => {
    const { error } = await failed(refuse(400, 'invalid_request_error', 'no header sk-ant-secret, thanks'))
    expect(error.reason).toBe('invalid-request')
    expect(error.message).not.toContain('secret')
  })

  test('a prompt that is too long is told apart, and an answer that is too long is made shorter', async () => {
    const long = await failed(
      refuse(400, 'invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'),
    )
    expect(long.error).toMatchObject({ reason: 'context-overflow' })
    const message =
      'input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again'
    const handler: FakeHandler = (_, response, round) =>
      round === 1
        ? response.writeHead(400).end(refusal('invalid_request_error', message))
        : replyStream(response, ...HELLO)
    const { fake, engine } = await serveAnthropic(handler)
    await collect(engine, request({ maxTokens: 21_333 }))
    expect(fake.bodies.map(({ max_tokens }) => max_tokens)).toEqual([21_333, 2_798])
    const firm = await failed(handler, request({ maxTokens: 21_333, bound: 'firm' }))
    expect(firm).toMatchObject({ error: { reason: 'context-overflow' }, calls: 1 })
  })

  const hostile: [string, string][] = [
    ['HTML', '<!doctype html><title>Welcome</title>'],
    ['JSON of another kind', '{"hello":"world"}'],
    ['JSON that is cut off', 'event: message_start\ndata: {"type":"message_sta\n\n'],
    ['a list', '[{"type":"message_start"}]'],
    ['one endless line', `data: ${'x'.repeat(3_000_000)}`],
    ['nothing', ''],
    ['an end without a beginning', messageStream(stopped)],
  ]
  test.each(hostile)('%s is no answer', async (_, body) => {
    const { error, events } = await failed((_, response) => response.writeHead(200).end(body))
    expect([error?.reason, events]).toEqual(['failed', []])
  })

  test('blocks that were never begun, of unknown kinds or without end do no harm', async () => {
    const events = await answered([
      started({ input_tokens: -1, output_tokens: 'many' }),
      continued(9, { type: 'thinking_delta', thinking: 'x' }),
      continued(9, { type: 'input_json_delta', partial_json: 'x' }),
      continued(0, { type: 'delta_of_next_year' }),
      { type: 'event_of_next_year', index: {} },
      begun(0, { type: 'server_tool_use', id: 1, name: {} }),
      ...said(1, 'Hi'),
      finished(77),
      ended('end_turn', { output_tokens: 3 }),
      stopped,
    ])
    expect(events).toEqual([
      { type: 'text-delta', choice: 0, text: 'Hi' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
    ])
  })

  test('an answer far beyond its bound is cut', async () => {
    const events = await answered([started(), ...said(0, 'tide '.repeat(2_000)), ended('end_turn'), stopped])
    expect(textOf(events).length).toBeLessThan(2_000)
    expect(events.at(-1)).toEqual({ type: 'choice-end', choice: 0, reason: 'length' })
  })
})
