import { expect, test } from 'vitest'
import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { askedOutput, effectiveOptions, engineRequest } from '@/lib/endpoints/chat/engine-request'
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
