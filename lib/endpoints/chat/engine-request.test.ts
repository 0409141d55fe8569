import { expect, test } from 'vitest'
import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import {
  askedOutput,
  buildPrompt,
  effectiveOptions,
  engineRequest,
  promptText,
  type ReadMessage,
  SERVICE_SYSTEM_PROMPT,
  withFindings,
} from '@/lib/endpoints/chat/engine-request'
import type { Model } from '@/lib/services/models/model'

const model = { id: 'atlas', capabilities: {}, maxCompletionTokens: 500 } as Model
const bodyOf = (more: Record<string, unknown> = {}) =>
  ChatCompletionRequest.parse({ model: 'atlas', messages: [{ role: 'user', content: 'Hi' }], ...more })
const requestOf = (more: Record<string, unknown> = {}, accountId = 'ada') => {
  const body = bodyOf(more)
  return engineRequest(body, effectiveOptions(body.service_parameters ?? {}, model), accountId)
}
const tool = { type: 'function', function: { name: 'note', parameters: { type: 'object' } } }

test('a request that says nothing asks for nothing', () => {
  expect(Object.fromEntries(Object.entries(requestOf()).filter(([, value]) => value !== undefined))).toEqual({
    sampling: {},
    n: 1,
    stop: [],
    cacheScope: 'ada',
    extra: {},
  })
})

test.each<[Record<string, unknown>, number | undefined]>([
  [{}, undefined],
  [{ max_tokens: 40 }, 40],
  [{ max_tokens: 0 }, undefined],
  [{ max_tokens: -7 }, undefined],
  [{ max_tokens: 40, max_completion_tokens: 30 }, 30],
  [{ max_tokens: 20, max_completion_tokens: 9_000 }, 9_000],
])('%j asks for %s tokens', (more, expected) => {
  expect(askedOutput(bodyOf(more))).toBe(expected)
})

test.each<[unknown, string[]]>([
  [undefined, []],
  [null, []],
  ['END', ['END']],
  ['', []],
  [
    ['a', '', 'b'],
    ['a', 'b'],
  ],
])('stop %j ends at %j', (stop, expected) => {
  expect(requestOf({ stop }).stop).toEqual(expected)
})

test('tools are those that the caller can answer; without one there is no choice of tools', () => {
  expect(requestOf({ tools: [{ type: 'web_search' }, tool] })).toMatchObject({
    tools: [{ function: { name: 'note' } }],
    toolChoice: 'auto',
  })
  const none = requestOf({ tools: [{ type: 'x_search' }], tool_choice: 'none' })
  expect([none.tools, none.toolChoice]).toEqual([undefined, undefined])
  expect(requestOf({ tools: [tool], tool_choice: 'none' }).toolChoice).toBe('none')
})

test('log probabilities are asked for by either field, and not against the other', () => {
  expect(requestOf({ logprobs: true }).logprobs).toEqual({ top: 0 })
  expect(requestOf({ logprobs: true, top_logprobs: 5 }).logprobs).toEqual({ top: 5 })
  expect(requestOf({ top_logprobs: 5 }).logprobs).toEqual({ top: 5 })
  expect(requestOf({ top_logprobs: 0 }).logprobs).toBeUndefined()
  expect(requestOf({ logprobs: false, top_logprobs: 5 }).logprobs).toBeUndefined()
})

test('a schema is found wherever clients put it', () => {
  const schema = { type: 'object', properties: { tide: { type: 'string' } } }
  const formatOf = (json_schema: unknown) =>
    requestOf({ response_format: { type: 'json_schema', json_schema } }).responseFormat
  expect(formatOf({ name: 'tide', strict: true, schema })).toMatchObject({
    json_schema: { name: 'tide', strict: true, schema },
  })
  expect(formatOf(schema)).toMatchObject({ json_schema: { name: 'answer', schema } })
  // Its own field of that name holds no schema.
  expect(formatOf({ ...schema, schema: 'draft-7' })).toMatchObject({
    json_schema: { schema: { ...schema, schema: 'draft-7' } },
  })
  expect(requestOf({ response_format: { type: 'json_object' } }).responseFormat).toEqual({ type: 'json_object' })
})

test.each<[Record<string, unknown>, unknown]>([
  [{}, undefined],
  [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, { effort: 'low' }],
  [{ reasoning: { effort: 'high', enabled: false } }, { effort: 'high' }],
  [{ reasoning: { enabled: false } }, { effort: 'none', isEnabled: false }],
  [{ reasoning: { enabled: true } }, { isEnabled: true }],
  [{ reasoning: { summary: 'concise' } }, { summary: 'concise' }],
  [
    { reasoning_effort: 'high', service_parameters: { disable_thinking: true } },
    { effort: 'none', isEnabled: false },
  ],
])('reasoning of %j', (more, expected) => {
  expect(requestOf(more).reasoning).toEqual(expected)
})

test('equal cache keys of two accounts are two keys', () => {
  const [ada, eve] = ['ada', 'eve'].map((account) => requestOf({ prompt_cache_key: 'x' }, account))
  expect(ada!.cacheKey).not.toBe(eve!.cacheKey)
  expect(ada!.cacheScope).not.toBe(eve!.cacheScope)
})

test('verbosity stands in either place', () => {
  expect(requestOf({ verbosity: 'low', text: { verbosity: 'high' } }).verbosity).toBe('low')
  expect(requestOf({ text: { verbosity: 'high' } }).verbosity).toBe('high')
})

test('fields that nobody knows are passed on apart, those of the interface are not', () => {
  const extra = { min_tokens: 4, user: 'eve', store: true, metadata: { a: 'b' }, fallbacks: [{ model: 'x' }] }
  expect(requestOf(extra).extra).toEqual({ min_tokens: 4 })
})

const user: ReadMessage = { role: 'user', content: 'Hello', name: undefined }

test("the service's prompt stands first, the caller's own after it in one message", () => {
  expect(
    buildPrompt([{ role: 'system', content: 'Be brief.', name: undefined }, user], { includesServicePrompt: true }),
  ).toEqual([
    { role: 'system', content: `${SERVICE_SYSTEM_PROMPT}\n\nBe brief.` },
    { role: 'user', content: 'Hello' },
  ])
  expect(buildPrompt([user], { includesServicePrompt: true })[0]).toEqual({
    role: 'system',
    content: SERVICE_SYSTEM_PROMPT,
  })
})

test("a model's own prompt stands in place of the service's; an empty one is none", () => {
  const options = { includesServicePrompt: true, servicePrompt: 'You are a friendly chatbot.' }
  expect(buildPrompt([user], options)[0]).toEqual({ role: 'system', content: 'You are a friendly chatbot.' })
  expect(buildPrompt([user], { ...options, includesServicePrompt: false })).toHaveLength(1)
  expect(buildPrompt([user], { ...options, servicePrompt: '' })).toEqual([{ role: 'user', content: 'Hello' }])
})

test("without it only the caller's prompts remain", () => {
  expect(buildPrompt([user], { includesServicePrompt: false })).toEqual([{ role: 'user', content: 'Hello' }])
})

test('assistant turns with neither text nor calls are left out', () => {
  const empty = { role: 'assistant', content: undefined, tool_calls: undefined } as ReadMessage
  const call = {
    role: 'assistant',
    content: undefined,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{}' } }],
  } as ReadMessage
  expect(buildPrompt([user, empty, call], { includesServicePrompt: false })).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: call.role === 'assistant' ? call.tool_calls : [] },
  ])
})

test('the text to count holds parts and calls', () => {
  expect(
    promptText([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
    ]),
  ).toBe('a\nb\nadd{"a":1}')
})

const system: ReadMessage = { role: 'system', content: 'Be brief.', name: undefined }
const character = {
  slug: 'keeper',
  systemPrompt: 'You keep the light.',
  context: [
    { role: 'user' as const, content: 'Who?' },
    { role: 'assistant' as const, content: 'The keeper.' },
  ],
  replacesServicePrompt: false,
}

test('a character speaks after the service and before the caller, and its talk opens the conversation', () => {
  expect(buildPrompt([system, user], { includesServicePrompt: true, character })).toEqual([
    { role: 'system', content: `${SERVICE_SYSTEM_PROMPT}\n\nYou keep the light.\n\nBe brief.` },
    ...character.context,
    { role: 'user', content: 'Hello' },
  ])
  const replacing = { ...character, replacesServicePrompt: true }
  for (const options of [
    { includesServicePrompt: true, character: replacing },
    { includesServicePrompt: false, character },
  ]) {
    expect(buildPrompt([user], options)[0]).toEqual({ role: 'system', content: 'You keep the light.' })
  }
})

test('a character that only brings talk leaves the caller’s prompt alone', () => {
  const silent = { ...character, systemPrompt: '' }
  expect(buildPrompt([system, user], { includesServicePrompt: false, character: silent })).toEqual([
    { role: 'system', content: 'Be brief.' },
    ...character.context,
    { role: 'user', content: 'Hello' },
  ])
})

test('a prompt of the caller’s in parts keeps its parts, and its marks for the cache', () => {
  const parts = [
    { type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const, ttl: undefined } },
  ]
  const developer: ReadMessage = { role: 'developer', content: parts, name: undefined }
  expect(buildPrompt([developer, user], { includesServicePrompt: true })[0]).toEqual({
    role: 'developer',
    content: [{ type: 'text', text: `${SERVICE_SYSTEM_PROMPT}\n\n` }, ...parts],
  })
})

test('what was found stands before the last question, whatever comes after it', () => {
  const answer: ReadMessage = { role: 'assistant', content: 'Aye', tool_calls: undefined } as ReadMessage
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA' } }
  const shown: ReadMessage = { role: 'user', content: [image], name: undefined }
  expect(withFindings([system, user, answer], 'FOUND')).toEqual([
    system,
    {
      ...user,
      content: [
        { type: 'text', text: 'FOUND\n\n' },
        { type: 'text', text: 'Hello' },
      ],
    },
    answer,
  ])
  expect(withFindings([user, shown], 'FOUND')).toEqual([
    user,
    { ...shown, content: [{ type: 'text', text: 'FOUND\n\n' }, image] },
  ])
  expect(withFindings([system], 'FOUND')).toEqual([system])
})
