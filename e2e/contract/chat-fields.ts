import { expect } from '@playwright/test'
import { callsOf, choicesOf, chunksOf, firstOf, textOf } from '@/e2e/contract/answer'
import { MESSAGES } from '@/e2e/contract/chat-message-fields'
import { SERVICE } from '@/e2e/contract/chat-service-fields'

import { absent, type FieldGroup, type FieldRow, hello, reaches } from '@/e2e/contract/field-rows'

/** The embedded model, which does what no scripted server can show. */
const small = { model: 'small', max_completion_tokens: 24 }
const number = (name: string, value: number, bad: unknown, wire = name): FieldRow => ({
  field: name,
  body: { [name]: value },
  effect: reaches(wire, value),
  refused: { [name]: bad },
})

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Paris', 'Brest'] } },
      required: ['city'],
    },
  },
}
const CITY = {
  type: 'object',
  properties: { city: { enum: ['Paris'] } },
  required: ['city'],
  additionalProperties: false,
}

const REQUEST: FieldRow[] = [
  {
    field: 'messages',
    body: hello,
    effect: ['is answered', ({ answer }) => expect(textOf(answer)).not.toBe('')],
    refused: { messages: [] },
  },
  {
    field: 'model',
    body: { model: 'default' },
    effect: ['a trait resolves to its model', ({ answer }) => expect(answer.json.model).toBe('say')],
    refused: { model: null },
  },
  {
    field: 'stream',
    body: { stream: true },
    effect: ['server-sent events', ({ answer }) => expect(answer.text).toMatch(/^data: [\s\S]*data: \[DONE\]\n\n$/)],
    refused: { stream: 'yes' },
  },
  {
    field: 'stream_options',
    body: { stream: true, stream_options: { include_usage: false } },
    effect: ['no usage chunk', ({ answer }) => expect(chunksOf(answer).some((chunk) => chunk.usage)).toBe(false)],
    refused: { stream_options: { include_usage: 'no' } },
  },
  number('frequency_penalty', 0.5, 2.1),
  number('presence_penalty', -0.5, -2.1),
  number('repetition_penalty', 1.1, -1),
  number('temperature', 0.3, '0.3'),
  number('top_p', 0.9, 1.1),
  number('top_k', 40, 1.5),
  number('min_p', 0.05, -0.1),
  number('min_temp', 0.2, 3),
  {
    field: 'max_temp',
    body: { min_temp: 0.1, max_temp: 1.5 },
    effect: reaches('max_temp', 1.5),
    refused: { min_temp: 2, max_temp: 1 },
  },
  number('max_completion_tokens', 77, 0, 'max_tokens'),
  { field: 'max_tokens', body: { max_tokens: 55 }, effect: reaches('max_tokens', 55), refused: { max_tokens: 'many' } },
  {
    field: 'n',
    body: { ...small, n: 2 },
    effect: ['two choices', ({ answer }) => expect(choicesOf(answer)).toHaveLength(2)],
    refused: { n: 11 },
  },
  {
    field: 'seed',
    body: { ...small, seed: 7, temperature: 1 },
    effect: [
      'the same answer again',
      async ({ answer, send }) =>
        expect(textOf(await send({ ...small, seed: 7, temperature: 1 }))).toBe(textOf(answer)),
    ],
    refused: { seed: 0 },
  },
  {
    field: 'stop',
    body: { stop: ['a', 'b'] },
    effect: reaches('stop', ['a', 'b']),
    refused: { stop: ['a', 'b', 'c', 'd', 'e'] },
  },
  {
    field: 'stop_token_ids',
    body: { stop_token_ids: [2] },
    effect: reaches('stop_token_ids', [2]),
    refused: { stop_token_ids: ['2'] },
  },
  {
    field: 'logprobs',
    body: { ...small, logprobs: true },
    effect: [
      'the first token, and `content` with all',
      ({ answer }) =>
        expect(firstOf(answer).logprobs).toMatchObject({
          token: expect.any(String),
          logprob: expect.any(Number),
          content: expect.any(Array),
        }),
    ],
    refused: { logprobs: 'yes' },
  },
  {
    field: 'top_logprobs',
    body: { ...small, logprobs: true, top_logprobs: 3 },
    effect: [
      'three alternatives a token',
      ({ answer }) => expect((firstOf(answer).logprobs as { top_logprobs: unknown[] }).top_logprobs).toHaveLength(3),
    ],
    refused: { logprobs: true, top_logprobs: -1 },
  },
  {
    field: 'prompt_logprobs',
    body: { prompt_logprobs: 2 },
    effect: reaches('prompt_logprobs', 2),
    refused: { prompt_logprobs: -1 },
  },
  {
    field: 'tools',
    body: { tools: [WEATHER] },
    effect: ['reaches the model server as `tools`', ({ wire }) => expect(wire.tools).toMatchObject([WEATHER])],
    refused: { tools: [{ type: 'function' }] },
  },
  {
    field: 'tool_choice',
    body: {
      ...small,
      max_completion_tokens: 100,
      tools: [WEATHER],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    },
    effect: [
      'that tool is called, by the embedded model too',
      ({ answer }) => {
        const [call] = callsOf(answer)
        expect(firstOf(answer).finish_reason).toBe('tool_calls')
        expect(call?.function.name).toBe('get_weather')
        expect(['Paris', 'Brest']).toContain(JSON.parse(call?.function.arguments ?? '').city)
      },
    ],
    refused: { tools: [WEATHER], tool_choice: { type: 'function', function: { name: 'another' } } },
  },
  {
    field: 'parallel_tool_calls',
    body: { tools: [WEATHER], parallel_tool_calls: false },
    effect: reaches('parallel_tool_calls', false),
    refused: { tools: [WEATHER], parallel_tool_calls: true, response_format: { type: 'json_object' } },
  },
  {
    field: 'response_format',
    body: { ...small, response_format: { type: 'json_schema', json_schema: { name: 'city', schema: CITY } } },
    effect: [
      'JSON of that schema, by grammar on the embedded model',
      ({ answer }) => expect(JSON.parse(textOf(answer))).toEqual({ city: 'Paris' }),
    ],
    refused: { response_format: { type: 'xml' } },
  },
  {
    field: 'reasoning_effort',
    body: { reasoning_effort: 'high' },
    effect: reaches('reasoning_effort', 'high'),
    refused: { reasoning_effort: 'xhigh' },
  },
  {
    field: 'reasoning.effort',
    body: { reasoning: { effort: 'low' } },
    effect: reaches('reasoning_effort', 'low'),
    refused: { reasoning: { effort: 'much' } },
  },
  {
    field: 'reasoning.summary',
    body: { reasoning: { effort: 'low', summary: 'concise' } },
    effect: [
      'reaches the model server as `reasoning.summary`',
      ({ wire }) => expect(JSON.stringify(wire)).toContain('concise'),
    ],
    refused: { reasoning: { summary: 'long' } },
  },
  {
    field: 'reasoning.enabled',
    body: { reasoning: { enabled: false } },
    effect: [
      'thinking is switched off at the model server',
      ({ wire }) => expect(wire.chat_template_kwargs).toMatchObject({ enable_thinking: false }),
    ],
    refused: { reasoning: { enabled: 'no' } },
  },
  {
    field: 'verbosity',
    body: { verbosity: 'low' },
    effect: reaches('verbosity', 'low'),
    refused: { verbosity: 'loud' },
  },
  {
    field: 'text.verbosity',
    body: { text: { verbosity: 'high' } },
    effect: reaches('verbosity', 'high'),
    refused: { text: { verbosity: 1 } },
  },
  {
    field: 'prompt_cache_key',
    body: { prompt_cache_key: 'mine' },
    effect: [
      'reaches the model server, hashed with the account',
      ({ wire }) => expect(wire.prompt_cache_key).toMatch(/^[\w-]{43}$/),
    ],
    refused: { prompt_cache_key: 7 },
  },
  {
    field: 'prompt_cache_retention',
    body: { prompt_cache_retention: '24h' },
    effect: reaches('prompt_cache_retention', '24h'),
    refused: { prompt_cache_retention: 'ever' },
  },
  { field: 'user', body: { user: 'somebody' }, effect: absent('somebody'), refused: { user: 7 } },
  { field: 'store', body: { store: true }, effect: absent('store'), refused: { store: 'yes' } },
  {
    field: 'metadata',
    body: { metadata: { shelf: 'top-shelf' } },
    effect: absent('top-shelf'),
    refused: { metadata: { shelf: 1 } },
  },
  {
    field: 'include',
    body: { include: ['everything-there-is'] },
    effect: absent('everything-there-is'),
    refused: { include: 'x' },
  },
  {
    field: 'fallbacks',
    body: { fallbacks: [{ model: 'somewhere-else' }] },
    effect: absent('somewhere-else'),
    refused: { fallbacks: [{}] },
  },
  {
    field: 'anything else',
    body: { logit_bias: { 5: 1 }, base_url: 'http://elsewhere' },
    effect: [
      'what model servers know passes, the rest is dropped',
      ({ wire }) => {
        expect(wire.logit_bias).toEqual({ 5: 1 })
        expect(wire).not.toHaveProperty('base_url')
      },
    ],
    refused: 'never refused',
  },
]

const CHAT = { path: 'chat/completions', base: { model: 'able', ...hello } }

export const CHAT_GROUPS: FieldGroup[] = [
  { ...CHAT, title: 'POST /chat/completions', rows: REQUEST },
  { ...CHAT, title: 'Messages and their parts', rows: MESSAGES },
  { ...CHAT, title: '`service_parameters`', rows: SERVICE },
]
