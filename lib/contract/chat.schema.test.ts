import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compile } from 'zod'
import { ChatCompletionRequest, KNOWN_FIELDS } from '@/lib/contract/chat.schema'
import { flatten } from '@/lib/pipeline/body'

const minimal = { model: 'atlas-large', messages: [{ role: 'user', content: 'Hello' }] }

function faults(body: unknown): string[] {
  const parsed = ChatCompletionRequest.safeParse(body)
  return parsed.success ? [] : flatten(parsed.error).map((issue) => issue.path.join('.'))
}

test.each([
  ['the least', {}],
  [
    'null for every optional field',
    { stream: null, stop: null, tools: null, seed: null, response_format: null, reasoning: null },
  ],
  ['fields outside the interface', { logit_bias: { 5: 1 }, whatever: [1, { a: null }] }],
  ['integers written as 5.0', { max_tokens: JSON.parse('5.0') }],
  ['max_tokens of 0 or less', { max_tokens: -1 }],
  ['camelCase stream options of a published client', { stream_options: { includeUsage: true } }],
  ['search tools', { tools: [{ type: 'web_search' }, { type: 'function', function: { name: 'add' } }] }],
  ['every form of tool_choice', { tool_choice: { type: 'function', function: { name: 'add' } } }],
  ['a bare schema', { response_format: { type: 'json_schema', json_schema: { type: 'object' } } }],
  ['unknown service parameters', { service_parameters: { future: true, enable_web_search: true } }],
])('takes %s', (_, extra) => {
  expect(faults({ ...minimal, ...extra })).toEqual([])
})

test.each([
  ['model', { model: undefined }],
  ['model', { model: '' }],
  ['messages', { messages: [] }],
  ['messages', { messages: Array.from({ length: 10_000 }, () => minimal.messages[0]) }],
  ['messages.0.role', { messages: [{ role: 'robot', content: 'x' }] }],
  ['messages.0.content', { messages: [{ role: 'user' }] }],
  ['messages.0.content.0.text', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
  [
    'messages.0.content.0.type',
    { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
  ],
  ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
  ['temperature', { temperature: 2.1 }],
  ['temperature', { temperature: '1' }],
  ['top_p', { top_p: -0.1 }],
  ['frequency_penalty', { frequency_penalty: 3 }],
  ['presence_penalty', { presence_penalty: -3 }],
  ['repetition_penalty', { repetition_penalty: -1 }],
  ['top_k', { top_k: 1.5 }],
  ['min_p', { min_p: 2 }],
  ['min_temp', { min_temp: 2, max_temp: 1 }],
  ['max_completion_tokens', { max_completion_tokens: 0 }],
  ['max_completion_tokens', { max_completion_tokens: 1e300 }],
  ['n', { n: 11 }],
  ['seed', { seed: 0 }],
  ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['top_logprobs', { top_logprobs: -1 }],
  ['reasoning_effort', { reasoning_effort: 'huge' }],
  ['verbosity', { verbosity: 'loud' }],
  ['stream', { stream: 'yes' }],
  ['tools.0.function.name', { tools: [{ type: 'function', function: {} }] }],
  ['prompt_cache_retention', { prompt_cache_retention: 'forever' }],
  ['service_parameters.enable_web_search', { service_parameters: { enable_web_search: 'perhaps' } }],
  ['service_parameters.strip_thinking_response', { service_parameters: { strip_thinking_response: 'true' } }],
])('refuses a bad %s', (path, extra) => {
  expect(faults({ ...minimal, ...extra })).toContain(path)
})

test.each([
  ['stop', { stop: 5 }, 'must be text, or a list of 1 to 4 texts'],
  ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'must be text, or a list of 1 to 4 texts'],
  ['messages.0.content', { messages: [{ role: 'user' }] }, 'must be text, or a list of 1 to 4000 parts'],
  ['messages.0.content', { messages: [{ role: 'system', content: 5 }] }, 'must be text, or a list of 1 to 4000 parts'],
  ['tool_choice', { tool_choice: 'maybe' }, expect.stringContaining('must be auto, none, required')],
  [
    'service_parameters.enable_web_search',
    { service_parameters: { enable_web_search: 1 } },
    'must be off, on, auto, true or false',
  ],
])('%s says all that it takes, not what one of its forms would (%#)', (path, extra, message) => {
  const parsed = ChatCompletionRequest.safeParse({ ...minimal, ...extra })
  expect(flatten(parsed.error!)).toMatchObject([
    { path: path.split('.').map((step) => (step === '0' ? 0 : step)), message },
  ])
})

test('more alternatives than engines tell are as many as they do', () => {
  const topOf = (top_logprobs: number) => ChatCompletionRequest.parse({ ...minimal, top_logprobs }).top_logprobs
  expect([0, 20, 21, 1_000].map(topOf)).toEqual([0, 20, 20, 20])
})

test('compiled, as requests are read, it takes, changes and refuses the same', () => {
  const compiled = compile(ChatCompletionRequest, { strict: true })
  const near = fc.oneof(
    fc.constantFrom(null, true, 0, 1, 5.0, -1, 1e9, '', 'auto', 'json_schema', [], {}, ['x']),
    fc.constant([{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }]),
    fc.constant([{ role: 'user', content: [{ type: 'text', text: 'x' }] }]),
    fc.constant({ include_usage: true, enable_web_search: 'on', effort: 'low' }),
    fc.jsonValue(),
  )
  const fields = fc.dictionary(fc.constantFrom(...KNOWN_FIELDS, 'other', '__proto__', 'constructor'), near, {
    maxKeys: 6,
  })
  fc.assert(
    fc.property(fields, fc.boolean(), (some, isWhole) => {
      const body = JSON.parse(JSON.stringify(isWhole ? { ...minimal, ...some } : some)) as unknown
      const [one, other] = [compiled.safeParse(body), ChatCompletionRequest.safeParse(body)]
      expect(one.data).toEqual(other.data)
      expect(one.error?.issues).toEqual(other.error?.issues)
    }),
    { numRuns: 2_000 },
  )
})
