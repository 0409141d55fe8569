import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { ReplyReader } from '@/lib/services/engines/upstream/chat/reply-reader'
import { chunk, DONE, frame, request, USAGE } from '@/lib/services/engines/upstream/testing/fake-upstream'

/** All events of a body that comes in these pieces; a failure is the last of them. */
function read(pieces: Buffer[], wanted: ChatRequest = request()): (ChatEvent | { failed: string })[] {
  const reader = new ReplyReader(wanted, [])
  const out: (ChatEvent | { failed: string })[] = []
  try {
    for (const piece of pieces) if (!reader.isDone) reader.push([piece], out as ChatEvent[])
    reader.end(out as ChatEvent[])
    reader.reply.end(out as ChatEvent[])
  } catch (error) {
    out.push({ failed: (error as Error).message })
  }
  return out
}

const whole = (body: string, wanted?: ChatRequest) => read([Buffer.from(body)], wanted)

function cut(bytes: Buffer, fractions: number[]): Buffer[] {
  const places = fractions.map((fraction) => Math.floor(fraction * bytes.length)).sort((a, b) => a - b)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}

const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('Größe', '日本語', '🦄', '\n', '"', '\\', ' "content":"', '[DONE]', '', '\u2028', 'tide'),
)
const delta = fc.oneof(
  { weight: 8, arbitrary: anyText.map((content) => ({ content })) },
  { weight: 3, arbitrary: anyText.map((reasoning_content) => ({ reasoning_content })) },
  { weight: 1, arbitrary: anyText.map((reasoning) => ({ reasoning, content: null })) },
  {
    weight: 1,
    arbitrary: fc.tuple(anyText, anyText).map(([content, reasoning_content]) => ({ content, reasoning_content })),
  },
  {
    weight: 1,
    arbitrary: anyText.map((text) => ({
      tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: text } }],
    })),
  },
)
const events = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: delta.map((value) => chunk(value)) },
    { weight: 1, arbitrary: delta.map((value) => chunk(value, null, { usage: USAGE })) },
    { weight: 1, arbitrary: delta.map((value) => chunk(value, 'stop')) },
    {
      weight: 1,
      arbitrary: anyText.map((text) =>
        frame({
          citations: ['https://x.example/1', `https://x.example/${text}`, { url: 'https://y.example/', title: text }],
          choices: [{ index: 1, delta: { content: text, annotations: [{ url: 'https://z.example/', title: text }] } }],
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: anyText.map((text) => chunk({ reasoning_details: [{ type: 'reasoning.text', text }] })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(': ping\n\n', 'event: x\n\n', frame({ error: { message: 'no' } }), 'data: {"a"\n\n'),
    },
  ),
  { maxLength: 20 },
)
const body = fc
  .tuple(events, fc.constantFrom('', DONE, 'data: [DONE]'), fc.boolean(), fc.boolean())
  .map(([lines, end, hasReturns, isSpaced]) => {
    let text = lines.join('') + end
    if (isSpaced) text = text.replaceAll('":', '": ')
    return hasReturns ? text.replaceAll('\n', '\r\n') : text
  })

const rich = request({ n: 2, nativeSearch: { sources: ['x'], maxResults: 5 } })

test('wherever the network cuts the bytes, the events are the same', () => {
  fc.assert(
    fc.property(body, fractions, (text, at) => {
      expect(read(cut(Buffer.from(text), at), rich)).toEqual(whole(text, rich))
    }),
    { numRuns: 2_000 },
  )
})

test('a body in single bytes gives the same events as in one piece', () => {
  fc.assert(
    fc.property(body, (text) => {
      expect(read(Array.from(Buffer.from(text), (byte) => Buffer.from([byte])))).toEqual(whole(text))
    }),
    { numRuns: 150 },
  )
})

test('a chunk means the same whether it was parsed or known from the one before', () => {
  fc.assert(
    fc.property(fc.array(delta, { maxLength: 20 }), (deltas) => {
      const lines = deltas.map((value) => chunk(value))
      // A field that differs in each chunk keeps the reader from knowing any of them.
      const strange = deltas.map((value, index) => chunk(value, null, { nonce: index }))
      expect(whole(lines.join('') + DONE)).toEqual(whole(strange.join('') + DONE))
    }),
    { numRuns: 1_000 },
  )
})

test('any bytes whatever end in events or in a failure of ours', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.constant(Buffer.from('data: ')),
          fc.constant(Buffer.from('\n\n')),
        ),
      ),
      (pieces) => {
        const result = read(pieces.map((piece) => Buffer.from(piece)))
        for (const event of result) expect('failed' in event ? event.failed : event.type).toEqual(expect.any(String))
      },
    ),
    { numRuns: 1_000 },
  )
})

describe('strange deltas', () => {
  const calls = (...entries: object[]) => whole(entries.map((entry) => chunk({ tool_calls: [entry] })).join('') + DONE)
  const call = (index: number, args: string, more: object = {}) => ({
    type: 'tool-call-delta',
    choice: 0,
    index,
    arguments: args,
    ...more,
  })
  const end = { type: 'choice-end', choice: 0, reason: 'tool_calls' }

  test('content as parts, with thinking parts among them', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'yes' },
      'no',
      { type: 'image' },
    ]
    expect(whole(chunk({ content }, 'stop'))).toEqual([
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'text-delta', choice: 0, text: 'yesno' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
    ])
  })

  test('both spellings of thinking at once are one thought', () => {
    expect(whole(chunk({ reasoning: 'hm', reasoning_content: 'hm' }))[0]).toEqual({
      type: 'reasoning-delta',
      choice: 0,
      text: 'hm',
    })
  })

  test('a refusal is what the model says', () => {
    expect(whole(chunk({ content: null, refusal: 'I cannot.' }, 'content_filter'))).toEqual([
      { type: 'text-delta', choice: 0, text: 'I cannot.', isRefusal: true },
      { type: 'choice-end', choice: 0, reason: 'stop' },
    ])
  })

  test('a tool call in pieces', () => {
    expect(
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }, { index: 0, function: { arguments: '{}' } }),
    ).toEqual([call(0, '', { id: 'a', name: 'f' }), call(0, '{}'), end])
  })

  test('whole calls without index', () => {
    expect(
      calls(
        { id: 'a', function: { name: 'f', arguments: '{}' } },
        { id: 'b', function: { name: 'g', arguments: '[]' } },
      ),
    ).toEqual([call(0, '{}', { id: 'a', name: 'f' }), call(1, '[]', { id: 'b', name: 'g' }), end])
  })

  test('one index for several calls', () => {
    expect(
      calls(
        { index: 0, id: 'a', function: { name: 'f', arguments: '1' } },
        { index: 0, id: 'b', function: { name: 'g', arguments: '2' } },
        { index: 0, function: { arguments: '3' } },
      ),
    ).toEqual([call(0, '1', { id: 'a', name: 'f' }), call(1, '2', { id: 'b', name: 'g' }), call(1, '3'), end])
  })

  test('a first index other than zero, an id that changes, no id at all', () => {
    expect(
      calls(
        { index: 1, id: 'a', function: { name: 'f', arguments: '' } },
        { index: 1, id: 'z', function: { arguments: '{}' } },
      ),
    ).toEqual([call(0, '', { id: 'a', name: 'f' }), call(0, '{}'), end])
    expect(calls({ index: 0, function: { name: 'f', arguments: { a: 1 } } })).toEqual([
      call(0, '{"a":1}', { id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'f' }),
      end,
    ])
  })

  test('arguments before the name wait for it', () => {
    expect(
      calls({ index: 0, id: 'a', function: { arguments: '{' } }, { index: 0, function: { name: 'f', arguments: '}' } }),
    ).toEqual([call(0, '{}', { id: 'a', name: 'f' }), end])
  })

  test('the old function_call, cut by length', () => {
    expect(whole(chunk({ function_call: { name: 'f', arguments: '{' } }) + chunk({}, 'length'))).toEqual([
      call(0, '{', { id: expect.any(String), name: 'f' }),
      { type: 'choice-end', choice: 0, reason: 'length' },
    ])
  })

  test('an end for tool calls without any is a stop', () => {
    expect(whole(chunk({ content: 'x' }, 'tool_calls')).at(-1)).toEqual({
      type: 'choice-end',
      choice: 0,
      reason: 'stop',
    })
  })

  test.each([
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['content_filter', 'stop'],
    ['SAFETY', 'stop'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['length', 'length'],
  ])('finish reason %s is %s', (finish, reason) => {
    expect(whole(chunk({ content: 'x' }, finish)).at(-1)).toMatchObject({ reason })
  })

  test('several choices, and those that were not asked for', () => {
    const of = (index: number, content: string) =>
      frame({ choices: [{ index, delta: { content }, finish_reason: null }] })
    expect(whole(of(1, 'b') + of(0, 'a') + of(2, 'x') + of(-1, 'x') + DONE, request({ n: 2 }))).toEqual([
      { type: 'text-delta', choice: 1, text: 'b' },
      { type: 'text-delta', choice: 0, text: 'a' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
      { type: 'choice-end', choice: 1, reason: 'stop' },
    ])
  })

  test('log probabilities, where they were asked for', () => {
    const logprobs = {
      content: [
        { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'b', logprob: null }] },
        { token: 3 },
      ],
    }
    const line = frame({ choices: [{ index: 0, delta: { content: 'a' }, logprobs }] })
    expect(whole(line)[0]).toEqual({ type: 'text-delta', choice: 0, text: 'a' })
    expect(whole(line, request({ logprobs: { top: 1 } }))[0]).toEqual({
      type: 'text-delta',
      choice: 0,
      text: 'a',
      logprobs: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'b', logprob: -9999 }] }],
    })
  })

  test('reasoning details pass through', () => {
    const details = [{ type: 'reasoning.text', text: 'hm', index: 0 }]
    expect(whole(chunk({ reasoning_details: details }))[0]).toEqual({ type: 'reasoning-details', choice: 0, details })
  })
})

describe('usage', () => {
  const usageOf = (usage: unknown) =>
    whole(chunk({ content: 'x' }, 'stop', { usage })).find((event) => 'type' in event && event.type === 'usage')
  const counted = (more: object) => ({
    type: 'usage',
    inputTokens: 7,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 2,
    reasoningTokens: 0,
    ...more,
  })

  test.each<[string, unknown, object]>([
    ['plain', USAGE, {}],
    ['zero is a count', { prompt_tokens: 0, completion_tokens: 0 }, { inputTokens: 0, outputTokens: 0 }],
    [
      'cached and reasoning',
      {
        ...USAGE,
        prompt_tokens_details: { cached_tokens: 4, cache_creation_input_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
      { cachedTokens: 4, cacheWriteTokens: 2, reasoningTokens: 1 },
    ],
    ['null details', { ...USAGE, prompt_tokens_details: null, completion_tokens_details: null }, {}],
    [
      'other spellings',
      { input_tokens: 7, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 1 },
      { cachedTokens: 3, cacheWriteTokens: 1 },
    ],
    ['the sum only', { prompt_tokens: 7, total_tokens: 9 }, {}],
    [
      'parts larger than the whole',
      { ...USAGE, prompt_tokens_details: { cached_tokens: 70 }, completion_tokens_details: { reasoning_tokens: 20 } },
      { cachedTokens: 7, reasoningTokens: 2 },
    ],
    [
      'thinking counted beside the output',
      { prompt_tokens: 7, completion_tokens: 2, total_tokens: 14, completion_tokens_details: { reasoning_tokens: 5 } },
      { outputTokens: 7, reasoningTokens: 5 },
    ],
    ['mad details', { ...USAGE, prompt_tokens_details: { cached_tokens: -1, cache_creation_input_tokens: 'x' } }, {}],
  ])('%s', (_, usage, expected) => {
    expect(usageOf(usage)).toEqual(counted(expected))
  })

  test.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['empty', {}],
    ['negative', { ...USAGE, prompt_tokens: -1 }],
    ['a fraction', { ...USAGE, completion_tokens: 1.5 }],
    ['text', { ...USAGE, prompt_tokens: '7' }],
    ['1e15', { ...USAGE, completion_tokens: 1e15 }],
    ['not an object', 7],
  ])('%s is no usage', (_, usage) => {
    expect(usageOf(usage)).toBeUndefined()
  })

  test('a mad count does not replace a good one', () => {
    const events = whole(
      chunk({ content: 'x' }, 'stop', { usage: USAGE }) +
        frame({ choices: [], usage: { ...USAGE, completion_tokens: -5 } }),
    )
    expect(events.at(-1)).toEqual(counted({}))
  })
})
