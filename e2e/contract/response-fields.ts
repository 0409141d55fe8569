import { expect } from '@playwright/test'
import { absent, type FieldGroup, type FieldRow, reaches, wireText } from '@/e2e/contract/field-rows'
import type { Answer } from '@/e2e/testing/ask'
import { dataUrl, textPicture } from '@/e2e/testing/local-site'

type Item = { type: string; content?: { text: string }[]; name?: string; arguments?: string }

const itemsOf = ({ json }: Answer) => json.output as Item[]
const messageOf = (answer: Answer): string =>
  itemsOf(answer).find(({ type }) => type === 'message')?.content?.[0]?.text ?? ''

const TIDE = { type: 'function', name: 'get_tide', parameters: { type: 'object', properties: {} } }
const items = (...input: object[]) => ({ input: [...input, { role: 'user', content: 'Hello' }] })
const parts = (...content: object[]) => ({ input: [{ role: 'user', content }] })
const search = { input: 'When is high water at Saint Malo?' }
const citations = (answer: Answer) =>
  (answer.json.service_parameters as { web_search_citations: unknown[] }).web_search_citations

const ROWS: FieldRow[] = [
  {
    field: 'model',
    body: { model: 'able:enable_web_search=on' },
    effect: ['a suffix is left out', ({ answer }) => expect(answer.json.model).toBe('able')],
    refused: { model: 7 },
  },
  {
    field: 'input',
    body: { input: 'Hello' },
    effect: ['is answered', ({ answer }) => expect(messageOf(answer)).not.toBe('')],
    refused: { input: [] },
  },
  {
    field: 'item `message`',
    body: items({ role: 'developer', content: 'Be a harbour pilot.' }),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('harbour pilot')],
    refused: items({ role: 'robot', content: 'x' }),
  },
  {
    field: 'items `function_call`, `function_call_output`',
    body: items(
      { role: 'user', content: 'Tide?' },
      { type: 'function_call', call_id: 'call_1', name: 'get_tide', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'at noon' },
    ),
    effect: [
      'the call and its result reach the model server',
      ({ wire }) => expect(wireText(wire)).toMatch(/"tool_calls".*"tool_call_id":"call_1"/),
    ],
    refused: items({ type: 'function_call', name: 'get_tide', arguments: '{}' }),
  },
  {
    field: 'items `reasoning`, `item_reference`',
    body: items({ type: 'reasoning', id: 'rs_1', summary: ['hm-hm-hm'] }, { type: 'item_reference', id: 'msg_1' }),
    effect: absent('hm-hm-hm'),
    refused: 'never refused',
  },
  {
    field: 'part `input_image`',
    body: async () =>
      parts(
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: dataUrl('image/png', await textPicture('HELLO')) },
      ),
    effect: [
      'reaches a model that sees as a picture',
      ({ wire }) => expect(wireText(wire)).toContain('"type":"image_url"'),
    ],
    refused: parts({ type: 'input_image' }),
  },
  {
    field: 'instructions',
    body: { instructions: 'Speak like a harbour pilot.' },
    effect: ['stand in the prompt', ({ wire }) => expect(wireText(wire)).toContain('harbour pilot')],
    refused: { instructions: 7 },
  },
  {
    field: 'max_output_tokens',
    body: { max_output_tokens: 77 },
    effect: reaches('max_tokens', 77),
    refused: { max_output_tokens: 0 },
  },
  {
    field: 'temperature',
    body: { temperature: 0.3 },
    effect: reaches('temperature', 0.3),
    refused: { temperature: 2.1 },
  },
  { field: 'top_p', body: { top_p: 0.9 }, effect: reaches('top_p', 0.9), refused: { top_p: 1.1 } },
  {
    field: 'reasoning',
    body: { reasoning: { effort: 'low' } },
    effect: reaches('reasoning_effort', 'low'),
    refused: { reasoning: { effort: 'much' } },
  },
  {
    field: 'tools',
    body: { tools: [TIDE, { type: 'code_interpreter' }] },
    effect: [
      'functions reach the model server, what it cannot do is dropped',
      ({ wire }) => expect(wire.tools).toMatchObject([{ function: { name: 'get_tide' } }]),
    ],
    refused: { tools: [{ type: 'function' }] },
  },
  {
    field: 'tool_choice',
    body: { tools: [TIDE], tool_choice: { type: 'function', name: 'get_tide' } },
    effect: reaches('tool_choice', { type: 'function', function: { name: 'get_tide' } }),
    refused: { tools: [TIDE], tool_choice: 'perhaps' },
  },
  {
    field: 'parallel_tool_calls',
    body: { tools: [TIDE], parallel_tool_calls: false },
    effect: reaches('parallel_tool_calls', false),
    refused: { parallel_tool_calls: 'no' },
  },
  {
    field: 'text.format',
    body: { text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } } },
    effect: [
      'reaches the model server as `response_format`',
      ({ wire }) => expect(wire.response_format).toMatchObject({ type: 'json_schema' }),
    ],
    refused: { text: { format: { type: 'xml' } } },
  },
  {
    field: 'text.verbosity',
    body: { text: { verbosity: 'low' } },
    effect: reaches('verbosity', 'low'),
    refused: { text: { verbosity: 'loud' } },
  },
  {
    field: 'web_search',
    body: { ...search, web_search: true },
    effect: [
      'what was found stands in the prompt, with an item of its own',
      ({ answer, wire }) => {
        expect(wireText(wire)).toContain('07:42')
        expect(itemsOf(answer).some(({ type }) => type === 'web_search_call')).toBe(true)
      },
    ],
    refused: { web_search: 'on' },
  },
  {
    field: 'stream',
    body: { stream: true },
    effect: [
      'typed events',
      ({ answer }) =>
        expect(answer.text).toMatch(
          /^event: response\.created\n[\s\S]*event: response\.completed\n[\s\S]*data: \[DONE\]\n\n$/,
        ),
    ],
    refused: { stream: 'yes' },
  },
  {
    field: 'include',
    body: { include: ['everything-there-is'] },
    effect: absent('everything-there-is'),
    refused: { include: 'x' },
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
    field: 'fallbacks',
    body: { fallbacks: [{ model: 'somewhere-else' }] },
    effect: absent('somewhere-else'),
    refused: { fallbacks: [{}] },
  },
  {
    field: 'service_parameters',
    body: { ...search, service_parameters: { enable_web_search: 'on', enable_web_citations: true } },
    effect: [
      'take effect as in a chat completion',
      ({ answer }) => expect(citations(answer).length).toBeGreaterThan(1),
    ],
    refused: { service_parameters: { enable_web_search: 'perhaps' } },
  },
  {
    field: 'others',
    body: { store: true, previous_response_id: 'resp_of-yesterday' },
    effect: absent('resp_of-yesterday'),
    refused: 'never refused',
  },
]

export const RESPONSES_GROUP: FieldGroup = {
  title: 'POST /responses',
  path: 'responses',
  base: { model: 'able', input: 'Hello' },
  rows: ROWS,
}
