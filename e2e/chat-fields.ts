import { expect } from '@playwright/test'
import { callsOf, choicesOf, chunksOf, citationsOf, echoOf, firstOf, textOf } from '@/e2e/answer'
import type { Answer } from '@/e2e/ask'
import { dataUrl, type LocalSite, textPicture } from '@/e2e/local-site'
import { makeWithFfmpeg, testPicture } from '@/lib/media/testing'

/** What a check can look at: the answer, the body that reached the model server, and further requests. */
export type Look = {
  answer: Answer
  /** The last body that the scripted model server got. */
  wire: Record<string, unknown>
  send: (more: object) => Promise<Answer>
  site: LocalSite
}
type Check = (look: Look) => void | Promise<void>

/**
 * One field of the interface: a request that has it, what shows that it took effect, and a value that is refused (or
 * why none can be).
 */
export type FieldRow = {
  field: string
  body: object | ((site: LocalSite) => object | Promise<object>)
  effect: [says: string, check: Check]
  refused: object | string
}
/** Fields of one endpoint; `base` is a request that each row lays its own over. */
export type FieldGroup = { title: string; path: string; base: object; rows: FieldRow[] }

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const hello = user('Hello')
const part = (...parts: object[]) => user([{ type: 'text', text: 'What is this?' }, ...parts])
const parameters = (service_parameters: object, more: object = hello) => ({ ...more, service_parameters })

/** The value arrives at the model server under this name. */
const reaches = (name: string, value: unknown): FieldRow['effect'] => [
  `reaches the model server as \`${name}\``,
  ({ wire }) => expect(wire[name]).toEqual(value),
]
const absent = (name: string): FieldRow['effect'] => [
  'taken; goes no further',
  ({ wire }) => expect(JSON.stringify(wire)).not.toContain(name),
]
const echoes = (name: string, value: unknown): FieldRow['effect'] => [
  `\`service_parameters.${name}\` of the answer says so`,
  ({ answer }) => expect(echoOf(answer)[name]).toEqual(value),
]
const wireText = (wire: Record<string, unknown>): string => JSON.stringify(wire.messages)

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
    refused: { logprobs: true, top_logprobs: 21 },
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

const roles = (...messages: object[]) => ({ messages: [...messages, { role: 'user', content: 'Hello' }] })
const MESSAGES: FieldRow[] = [
  {
    field: 'role `system`',
    body: roles({ role: 'system', content: 'Speak like a harbour pilot.' }),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('harbour pilot')],
    refused: roles({
      role: 'system',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
    }),
  },
  {
    field: 'role `developer`',
    body: roles({ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }),
    effect: [
      'stands in the prompt, as system',
      ({ wire }) => expect(wireText(wire)).toMatch(/"role":"system".*Be brief\./),
    ],
    refused: roles({ role: 'developer' }),
  },
  {
    field: 'role `assistant`',
    body: roles({ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ahoy' }),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('Ahoy')],
    refused: roles({ role: 'assistant', content: 7 }),
  },
  {
    field: 'role `tool`, `tool_calls`',
    body: roles(
      { role: 'user', content: 'Tide?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_tide', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'at noon' }] },
    ),
    effect: [
      'the call and its result reach the model server',
      ({ wire }) => expect(wireText(wire)).toMatch(/"tool_calls".*"tool_call_id":"call_1"/),
    ],
    refused: roles({ role: 'tool', content: 'x' }),
  },
  {
    field: '`reasoning_details`',
    body: roles(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ahoy', reasoning_details: [{ type: 'reasoning.text', text: 'hm', extra: 1 }] },
    ),
    effect: [
      'pass unchanged',
      ({ wire }) => expect(wireText(wire)).toContain('{"type":"reasoning.text","text":"hm","extra":1}'),
    ],
    refused: roles({ role: 'assistant', content: 'x', reasoning_details: [{}] }),
  },
  {
    field: '`name`',
    body: { messages: [{ role: 'user', name: 'ada', content: 'Hello' }] },
    effect: ['reaches the model server', ({ wire }) => expect(wireText(wire)).toContain('"name":"ada"')],
    refused: { messages: [{ role: 'user', name: 7, content: 'Hello' }] },
  },
  {
    field: 'part `text`',
    body: part(),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('What is this?')],
    refused: user([{ type: 'text', text: '' }]),
  },
  {
    field: 'part `image_url`',
    body: async () =>
      part({ type: 'image_url', image_url: { url: dataUrl('image/png', await textPicture('HELLO')), detail: 'high' } }),
    effect: [
      'reaches a model that sees as a picture',
      ({ wire }) =>
        expect(wireText(wire)).toMatch(/"type":"image_url","image_url":\{"url":"data:image\/(png|jpeg);base64,/),
    ],
    refused: part({ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }),
  },
  {
    field: 'part `input_audio`',
    body: part({ type: 'input_audio', input_audio: { data: tone(), format: 'pcm16' } }),
    effect: [
      'reaches a model that hears as WAV',
      ({ wire }) => expect(wireText(wire)).toMatch(/"input_audio":\{"data":"UklGR/),
    ],
    refused: part({ type: 'input_audio', input_audio: { data: 'http://example.org/a.wav', format: 'wav' } }),
  },
  {
    field: 'part `video_url`',
    body: () => part({ type: 'video_url', video_url: { url: dataUrl('video/mp4', film()) } }),
    effect: [
      'reaches a model that takes video as it was sent',
      ({ wire }) => expect(wireText(wire)).toMatch(/"type":"video_url","video_url":\{"url":"data:video\/mp4;base64,/),
    ],
    refused: part({ type: 'video_url', video_url: {} }),
  },
  {
    field: 'part `file`',
    body: part({
      type: 'file',
      file: { filename: 'tide.md', file_data: dataUrl('text/markdown', '# Tides\n\nThe word is periwinkle.') },
    }),
    effect: [
      'its text stands in the prompt, under its name',
      ({ wire }) => expect(wireText(wire)).toMatch(/tide\.md.*periwinkle/),
    ],
    refused: part({ type: 'file', file: { file_data: 'nothing' } }),
  },
  {
    field: '`cache_control`',
    body: user([{ type: 'text', text: 'Long and always the same.', cache_control: { type: 'ephemeral', ttl: '1h' } }]),
    effect: [
      'reaches the model server at its part',
      ({ wire }) => expect(wireText(wire)).toContain('"cache_control":{"type":"ephemeral"'),
    ],
    refused: user([{ type: 'text', text: 'x', cache_control: { type: 'for-ever' } }]),
  },
]

const search = (more: object = {}) =>
  parameters({ enable_web_search: 'on', ...more }, user('When is high water at Saint Malo?'))

const SERVICE: FieldRow[] = [
  {
    field: 'character_slug',
    body: parameters({ character_slug: 'lantern-of-questions' }),
    effect: echoes('character_slug', 'lantern-of-questions'),
    refused: parameters({ character_slug: '' }),
  },
  {
    field: 'strip_thinking_response',
    body: { ...parameters({ strip_thinking_response: true }), model: 'thinks' },
    effect: [
      'no thoughts in the answer',
      ({ answer }) => {
        expect(textOf(answer)).toBe('Six.')
        expect(firstOf(answer).message.reasoning_content).toBeNull()
      },
    ],
    refused: parameters({ strip_thinking_response: 'yes' }),
  },
  {
    field: 'disable_thinking',
    body: parameters({ disable_thinking: true }),
    effect: [
      'thinking is switched off at the model server',
      ({ wire }) => expect(wire.chat_template_kwargs).toMatchObject({ enable_thinking: false }),
    ],
    refused: parameters({ disable_thinking: 1 }),
  },
  {
    field: 'enable_web_search',
    body: search(),
    effect: [
      'what was found stands in the prompt, and in the list',
      ({ answer, wire }) => {
        expect(wireText(wire)).toContain('07:42')
        expect(citationsOf(answer).map(({ url }) => new URL(url).pathname)).toEqual(
          expect.arrayContaining(['/tides', '/harbour']),
        )
      },
    ],
    refused: parameters({ enable_web_search: 'perhaps' }),
  },
  {
    field: 'enable_web_scraping',
    body: async (site) => parameters({ enable_web_scraping: true }, user(`What does ${site.origin}/tides say?`)),
    effect: [
      'the page that was named stands in the prompt',
      ({ answer, wire, site }) => {
        expect(wireText(wire)).toContain('07:42')
        expect(citationsOf(answer)).toMatchObject([{ url: `${site.origin}/tides` }])
      },
    ],
    refused: parameters({ enable_web_scraping: 'yes' }),
  },
  {
    field: 'enable_x_search',
    body: parameters({ enable_x_search: true }),
    effect: [
      'the vendor is asked to search, on models that can',
      ({ wire }) => expect(wire.search_parameters).toMatchObject({ sources: [{ type: 'x' }] }),
    ],
    refused: parameters({ enable_x_search: 'yes' }),
  },
  {
    field: 'enable_web_citations',
    body: search({ enable_web_citations: true }),
    effect: ['the model is asked for `[REF]n[/REF]`', ({ wire }) => expect(wireText(wire)).toContain('[REF]')],
    refused: parameters({ enable_web_citations: 'yes' }),
  },
  {
    field: 'include_search_results_in_stream',
    body: { ...search({ include_search_results_in_stream: true }), stream: true },
    effect: [
      'the first chunk has the list',
      ({ answer }) =>
        expect(chunksOf(answer)[0]).toMatchObject({
          choices: [],
          service_parameters: { web_search_citations: expect.any(Array) },
        }),
    ],
    refused: parameters({ include_search_results_in_stream: 'yes' }),
  },
  {
    field: 'return_search_results_as_documents',
    body: search({ return_search_results_as_documents: true }),
    effect: [
      'a call of `service_web_search_documents`',
      ({ answer }) => {
        const [call] = callsOf(answer)
        expect(call?.function.name).toBe('service_web_search_documents')
        expect(JSON.parse(call?.function.arguments ?? '').documents.length).toBeGreaterThan(1)
        expect(firstOf(answer).finish_reason).toBe('tool_calls')
        expect(firstOf(answer).message.content).not.toBeNull()
      },
    ],
    refused: parameters({ return_search_results_as_documents: 'yes' }),
  },
  {
    field: 'include_service_system_prompt',
    body: parameters({ include_service_system_prompt: false }),
    effect: [
      'only the caller’s own words',
      ({ wire }) => expect(wire.messages).toEqual([{ role: 'user', content: 'Hello' }]),
    ],
    refused: parameters({ include_service_system_prompt: 'no' }),
  },
  {
    field: 'enable_e2ee',
    body: parameters({ enable_e2ee: true }),
    effect: echoes('enable_e2ee', false),
    refused: parameters({ enable_e2ee: 'yes' }),
  },
  {
    field: 'model suffix',
    body: { ...hello, model: 'able:include_service_system_prompt=false&strip_thinking_response=true' },
    effect: [
      'overrides the body, and is not in `model`',
      ({ answer }) => {
        expect(echoOf(answer)).toMatchObject({ include_service_system_prompt: false, strip_thinking_response: true })
        expect(answer.json.model).toBe('able')
      },
    ],
    refused: { model: 'able:enable_web_search=perhaps' },
  },
]

const CHAT = { path: 'chat/completions', base: { model: 'able', ...hello } }

export const CHAT_GROUPS: FieldGroup[] = [
  { ...CHAT, title: 'POST /chat/completions', rows: REQUEST },
  { ...CHAT, title: 'Messages and their parts', rows: MESSAGES },
  { ...CHAT, title: '`service_parameters`', rows: SERVICE },
]

/** Half a second of 24 kHz silence with a click: raw samples have no container to be wrong. */
function tone(): string {
  const samples = Buffer.alloc(24_000)
  samples.writeInt16LE(20_000, 12_000)
  return samples.toString('base64')
}

/** A second of a moving test picture, without sound. */
function film(): Uint8Array {
  const [bytes] = makeWithFfmpeg([...testPicture('128x96', 1, 5), '-c:v', 'libx264', '-pix_fmt', 'yuv420p', 'film.mp4'])
  return bytes!
}
