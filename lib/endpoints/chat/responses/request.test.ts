import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { ResponsesRequest } from '@/lib/contract/responses.schema'
import { toChatRequest } from '@/lib/endpoints/chat/responses/quote'
import { flatten } from '@/lib/pipeline/body'

const chat = (more: object = {}) =>
  toChatRequest(ResponsesRequest.parse({ model: 'atlas', input: 'Hi', ...more })).request

function refusal(more: object): string | undefined {
  const parsed = ResponsesRequest.safeParse({ model: 'atlas', input: 'Hi', ...more })
  if (!parsed.success) return flatten(parsed.error)[0]?.path.join('.')
  try {
    toChatRequest(parsed.data)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    return (error as ApiError).issues?.[0]?.path.join('.')
  }
}

const add = { name: 'add', description: 'Adds', parameters: { type: 'object' }, strict: true }
const flat = { type: 'function', ...add }
const nested = { type: 'function', function: add }
const say = (content: unknown, role = 'user') => ({ input: [{ role, content }] })

test('the settings of an answer, under their names in a chat', () => {
  expect(
    chat({
      stream: true,
      max_output_tokens: 7,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low', summary: 'auto', enabled: true },
      parallel_tool_calls: false,
      prompt_cache_key: 'k',
      text: { verbosity: 'low' },
    }),
  ).toMatchObject({
    model: 'atlas',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    max_completion_tokens: 7,
    temperature: 0.5,
    top_p: 0.9,
    reasoning: { effort: 'low', summary: 'auto', enabled: true },
    parallel_tool_calls: false,
    prompt_cache_key: 'k',
    verbosity: 'low',
  })
})

test('null is absent', () => {
  const nulls = ['instructions', 'max_output_tokens', 'temperature', 'top_p', 'reasoning', 'tools', 'tool_choice']
  const more = ['text', 'web_search', 'stream', 'include', 'fallbacks', 'service_parameters', 'prompt_cache_key']
  const body = Object.fromEntries([...nulls, ...more].map((name) => [name, null]))
  expect(chat(body)).toEqual(chat())
})

test('what the interface does not know, or keeps nothing for, is ignored', () => {
  const ignored = {
    store: true,
    previous_response_id: 'resp_1',
    conversation: 'conv_1',
    metadata: { a: 1 },
    background: true,
    truncation: 'auto',
    user: 5,
    n: 3,
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    fallbacks: [{ model: 'other', why: 'x' }],
    whatever: {},
  }
  expect(chat(ignored)).toEqual(chat())
})

test('a suffix of the model is dropped, and has no effect', () => {
  expect(chat({ model: 'llama:3b:enable_web_search=on' })).toEqual(chat({ model: 'llama:3b' }))
})

test('of the service parameters, those of this endpoint are kept', () => {
  const kept = {
    character_slug: 'ada',
    enable_e2ee: true,
    enable_web_search: 'auto',
    enable_web_scraping: true,
    enable_web_citations: true,
    include_service_system_prompt: false,
    include_search_results_in_stream: true,
  }
  const dropped = {
    strip_thinking_response: true,
    disable_thinking: 'yes',
    enable_x_search: true,
    return_search_results_as_documents: 5,
    future: true,
  }
  expect(chat({ service_parameters: { ...kept, ...dropped } }).service_parameters).toEqual(kept)
})

test('functions in both forms; tools of vendors and unknown ones are dropped', () => {
  const others = ['code_interpreter', 'file_search', 'computer_use_preview', 'image_generation', 'mcp', 'made_up']
  const tools = [flat, ...others.map((type) => ({ type, container: { type: 'auto' } })), { ...nested, id: 't' }]
  expect(chat({ tools }).tools).toEqual([nested, nested])
  expect(chat({ tools: others.map((type) => ({ type })) }).tools).toBeUndefined()
})

test.each(['auto', 'none', 'required'])('a choice of tools: %s', (choice) => {
  expect(chat({ tools: [flat], tool_choice: choice }).tool_choice).toBe(choice)
  expect(chat({ tools: [{ type: 'file_search' }], tool_choice: choice }).tool_choice).toBeUndefined()
})

test('the choice of a function, nested and flat', () => {
  const expected = { type: 'function', function: { name: 'add' } }
  expect(chat({ tools: [flat], tool_choice: expected }).tool_choice).toEqual(expected)
  expect(chat({ tools: [flat], tool_choice: { type: 'function', name: 'add' } }).tool_choice).toEqual(expected)
  // Kept where no function is there, so that the same check as a chat's refuses it.
  expect(chat({ tools: [{ type: 'x_search' }], tool_choice: expected }).tool_choice).toEqual(expected)
  expect(chat({ tool_choice: 'required' }).tool_choice).toBe('required')
})

const web = {
  type: 'web_search',
  search_context_size: 'high',
  user_location: { type: 'approximate', city: 'Brest', country: 'FR', region: null, timezone: 'Europe/Paris' },
}
const x = {
  type: 'x_search',
  allowed_x_handles: Array(10).fill('tide'),
  excluded_x_handles: null,
  from_date: '2026-01-02',
  to_date: '2026-01-02T03:04:05Z',
  enable_image_understanding: true,
  enable_video_understanding: false,
}

test.each<[object, object]>([
  [{ web_search: true }, { enable_web_search: 'on' }],
  [{ web_search: false }, {}],
  [{ tools: [web] }, { enable_web_search: 'auto' }],
  [{ tools: [{ type: 'web_search_preview' }] }, { enable_web_search: 'auto' }],
  [{ tools: [web], web_search: true }, { enable_web_search: 'on' }],
  [{ tools: [web], tool_choice: 'required' }, { enable_web_search: 'on' }],
  [{ tools: [web, flat], tool_choice: 'required' }, { enable_web_search: 'auto' }],
  [{ tools: [web, x], tool_choice: 'none' }, {}],
  [{ tools: [x] }, { enable_x_search: true }],
  [{ tools: [x, web] }, { enable_x_search: true, enable_web_search: 'auto' }],
  [{ tools: [web], service_parameters: { enable_web_search: 'on' } }, { enable_web_search: 'on' }],
  [{ tools: [web], service_parameters: { enable_web_search: 'off' } }, { enable_web_search: 'off' }],
  [{ web_search: true, service_parameters: { enable_web_search: 'off' } }, { enable_web_search: 'on' }],
])('%j searches as %j', (body, expected) => {
  expect(chat(body).service_parameters).toEqual(expected)
})

test('the format of the text', () => {
  const schema = { type: 'object', properties: {} }
  expect(chat({ text: { format: { type: 'text' } } }).response_format).toEqual({ type: 'text' })
  expect(chat({ text: { format: { type: 'json_object' } } }).response_format).toEqual({ type: 'json_object' })
  const format = { type: 'json_schema', name: 'tide', schema, strict: true, description: 'd', extra: 1 }
  expect(chat({ text: { format } }).response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'tide', schema, strict: true, description: 'd' },
  })
  // The default, said aloud: a stock client's way, and no contradiction to a format.
  expect(chat({ parallel_tool_calls: true }).parallel_tool_calls).toBeUndefined()
})

test.each<[path: string, body: object]>([
  ['model', { model: undefined }],
  ['model', { model: '' }],
  ['model', { model: 5 }],
  ['input', { input: undefined }],
  ['input', { input: '' }],
  ['input', { input: [] }],
  ['input', { input: 5 }],
  ['input', { input: [{ type: 'reasoning' }] }],
  ['input.0', { input: ['Hi'] }],
  ['input.0.role', { input: [{}] }],
  ['input.0.role', { input: [{ content: 'x' }] }],
  ['input.0.role', say('x', 'robot')],
  ['input.0.role', { input: [{ type: 'message', role: 'tool', content: 'x' }] }],
  ['input.0.content', say(5)],
  ['input.0.content', say(null)],
  ['input.0.content', say([])],
  ['input.0.content', say(undefined, 'assistant')],
  ['input.0.id', { input: [{ role: 'user', content: 'x', id: 5 }] }],
  ['input.0.status', { input: [{ type: 'message', role: 'user', content: 'x', status: 5 }] }],
  ['input.0.type', { input: [{ type: 'file_search_call', id: 'x' }] }],
  ['input.0.type', { input: [{ type: 5, role: 'user', content: 'x' }] }],
  [
    'input.1.content.0.text',
    {
      input: [
        { role: 'user', content: 'x' },
        { role: 'user', content: [{ text: '' }] },
      ],
    },
  ],
  ['input.0.content.0.text', say([{ type: 'input_text' }])],
  ['input.0.content.0.text', say([{ type: 'input_text', text: '' }])],
  ['input.0.content.0.text', say([{ type: 'text', text: 5 }])],
  ['input.0.content.0', say(['x'])],
  ['input.0.content.0.type', say([{ type: 'video', text: 'x' }])],
  ['input.0.content.1.type', say([{ text: 'x' }, { type: 'video_url', video_url: {} }])],
  ['input.0.content.0.image_url', say([{ type: 'input_image' }])],
  ['input.0.content.0.image_url', say([{ type: 'input_image', image_url: '' }])],
  ['input.0.content.0.image_url', say([{ type: 'input_image', file_id: 'file_1' }])],
  ['input.0.content.0.image_url.url', say([{ type: 'input_image', image_url: { detail: 'low' } }])],
  ['input.0.content.0', say([{ type: 'input_file', filename: 'x' }])],
  ['input.0.content.0.file_data', say([{ type: 'input_file', file_data: 5 }])],
  ['input.0.content.0.input_audio', say([{ type: 'input_audio' }])],
  ['input.0.content.0.input_audio.data', say([{ type: 'input_audio', input_audio: { data: '' } }])],
  ['input.0.content.0.input_audio.format', say([{ type: 'input_audio', input_audio: { data: 'AA', format: 'midi' } }])],
  ['input.0.content.0.type', say([{ type: 'input_image', image_url: 'https://a/b.png' }], 'system')],
  ['input.0.content.0.type', say([{ type: 'input_image', image_url: 'https://a/b.png' }], 'developer')],
  ['input.0.content.0.type', say([{ type: 'input_image', image_url: 'https://a/b.png' }], 'assistant')],
  ['input.0.call_id', { input: [{ type: 'function_call', name: 'a', arguments: '{}' }] }],
  ['input.0.name', { input: [{ type: 'function_call', call_id: 'c', name: '', arguments: '{}' }] }],
  ['input.0.name', { input: [{ type: 'function_call', call_id: 'c', name: 'a'.repeat(257), arguments: '{}' }] }],
  ['input.0.arguments', { input: [{ type: 'function_call', call_id: 'c', name: 'a', arguments: {} }] }],
  ['input.0.call_id', { input: [{ type: 'function_call_output', call_id: '', output: 'x' }] }],
  ['input.0.output', { input: [{ type: 'function_call_output', call_id: 'c' }] }],
  ['input.0.output', { input: [{ type: 'function_call_output', call_id: 'c', output: { a: 1 } }] }],
  [
    'input.0.output.0.type',
    { input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'x' }] }] },
  ],
  ['instructions', { instructions: 5 }],
  ['max_output_tokens', { max_output_tokens: 0 }],
  ['max_output_tokens', { max_output_tokens: 1.5 }],
  ['max_output_tokens', { max_output_tokens: '5' }],
  ['temperature', { temperature: 2.1 }],
  ['temperature', { temperature: '1' }],
  ['top_p', { top_p: -0.1 }],
  ['reasoning', { reasoning: 'high' }],
  ['reasoning.effort', { reasoning: { effort: 'huge' } }],
  ['reasoning.summary', { reasoning: { summary: 'long' } }],
  ['reasoning.enabled', { reasoning: { enabled: 'no' } }],
  ['stream', { stream: 'yes' }],
  ['include', { include: 'x' }],
  ['include.0', { include: [5] }],
  ['fallbacks', { fallbacks: Array(11).fill({ model: 'm' }) }],
  ['fallbacks.0.model', { fallbacks: [{}] }],
  ['web_search', { web_search: 'on' }],
  ['prompt_cache_key', { prompt_cache_key: 'k'.repeat(1025) }],
  ['parallel_tool_calls', { parallel_tool_calls: 'no' }],
  ['text', { text: 'json' }],
  ['text.verbosity', { text: { verbosity: 'max' } }],
  ['text.format.type', { text: { format: { type: 'yaml' } } }],
  ['text.format.schema', { text: { format: { type: 'json_schema', name: 'x' } } }],
  ['text.format.name', { text: { format: { type: 'json_schema', name: 5, schema: {} } } }],
  ['text.format.strict', { text: { format: { type: 'json_schema', strict: 'yes', schema: {} } } }],
  ['service_parameters', { service_parameters: [] }],
  ['service_parameters.enable_web_search', { service_parameters: { enable_web_search: 'maybe' } }],
  ['service_parameters.enable_web_citations', { service_parameters: { enable_web_citations: 'yes' } }],
  ['tools', { tools: {} }],
  ['tools', { tools: Array(257).fill(flat) }],
  ['tools.0.type', { tools: [{ name: 'add' }] }],
  ['tools.0.name', { tools: [{ type: 'function' }] }],
  ['tools.0.name', { tools: [{ ...flat, name: '' }] }],
  ['tools.1.name', { tools: [{ type: 'mcp' }, { ...flat, name: 'a'.repeat(257) }] }],
  ['tools.0.parameters', { tools: [{ ...flat, parameters: 'x' }] }],
  ['tools.0.strict', { tools: [{ ...flat, strict: 'yes' }] }],
  ['tools.0.function', { tools: [{ type: 'function', function: 5 }] }],
  ['tools.0.function.name', { tools: [{ type: 'function', function: {} }] }],
  ['tools.0.function.description', { tools: [{ type: 'function', function: { ...add, description: 5 } }] }],
  ['tools.0.search_context_size', { tools: [{ ...web, search_context_size: 'huge' }] }],
  ['tools.0.user_location', { tools: [{ ...web, user_location: 'Brest' }] }],
  ['tools.0.user_location.type', { tools: [{ ...web, user_location: { type: 'exact' } }] }],
  ['tools.0.user_location.city', { tools: [{ ...web, user_location: { city: 5 } }] }],
  ['tools.0.allowed_x_handles', { tools: [{ ...x, allowed_x_handles: Array(11).fill('a') }] }],
  ['tools.0.excluded_x_handles', { tools: [{ ...x, excluded_x_handles: Array(11).fill('a') }] }],
  ['tools.0.allowed_x_handles.0', { tools: [{ ...x, allowed_x_handles: [5] }] }],
  ['tools.0.from_date', { tools: [{ ...x, from_date: 'yesterday' }] }],
  ['tools.0.to_date', { tools: [{ ...x, to_date: 20260102 }] }],
  ['tools.0.enable_image_understanding', { tools: [{ ...x, enable_image_understanding: 'yes' }] }],
  ['tools.0.enable_video_understanding', { tools: [{ ...x, enable_video_understanding: 1 }] }],
  ['tool_choice', { tools: [flat], tool_choice: 'sometimes' }],
  ['tool_choice', { tools: [flat], tool_choice: 5 }],
  ['tool_choice.type', { tools: [flat], tool_choice: { type: 'tool', name: 'add' } }],
  ['tool_choice.name', { tools: [flat], tool_choice: { type: 'function' } }],
  ['tool_choice.function.name', { tools: [flat], tool_choice: { type: 'function', function: {} } }],
])('refused at %s: %j', (path, body) => {
  expect(refusal(body)).toBe(path)
})
