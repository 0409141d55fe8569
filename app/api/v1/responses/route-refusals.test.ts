import { expect, test } from 'vitest'
import { EXTRA_MODELS } from '@/app/api/v1/chat/completions/testing/extra-models'
import { dataUrl, square } from '@/app/api/v1/chat/completions/testing/media'
import { type Call, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { responsesStage } from '@/app/api/v1/responses/testing/stage'
import { usd } from '@/lib/contract/money'

const { stage, events } = await responsesStage({ models: EXTRA_MODELS })
const { upstream, call, spent } = stage

const add = { type: 'function', name: 'add' }
const user = (...content: object[]) => ({ role: 'user', content })
const PNG = dataUrl('image/png', await square())
const TINY = dataUrl('image/png', await square(20))
const image = (url = PNG) => ({ type: 'input_image', image_url: url })
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
const file = (source: object) => ({ type: 'input_file', ...source })
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test.each<[number, string, Record<string, unknown>, Call]>([
  [401, 'AUTHENTICATION_FAILED', {}, { headers: { authorization: 'Bearer SERVICE_INFERENCE_KEY_wrong' } }],
  [415, 'INVALID_CONTENT_TYPE', {}, { headers: { 'content-type': 'text/plain' } }],
  [400, 'INVALID_REQUEST', {}, { raw: '{"model":' }],
  [400, 'INVALID_REQUEST', {}, { raw: '' }],
  // A bad body is told before a model that there is not.
  [400, 'INVALID_REQUEST', { model: 'nothing', input: [] }, {}],
  [404, 'MODEL_NOT_FOUND', { model: 'nothing' }, {}],
  [404, 'MODEL_NOT_FOUND', { model: 'a\r\nSet-Cookie: x=1' }, {}],
  [404, 'CHARACTER_NOT_FOUND', { service_parameters: { character_slug: 'nobody-of-that-name' } }, {}],
  [401, 'PRO_ONLY_MODEL', { model: 'pro' }, {}],
  [410, 'MODEL_RETIRED', { model: 'retired' }, {}],
  [503, 'MODEL_OFFLINE', { model: 'broken' }, {}],
])('%d %s', async (status, code, body, options) => {
  const response = await call(body, options)
  const answer = await response.json()
  expect([response.status, answer.code]).toEqual([status, code])
  expect(answer.error).toEqual(expect.any(String))
  expect(response.headers.get('x-service-host-name')).not.toBeNull()
  expect(await spent()).toBe(0)
})

test('without credentials: the document that says how to pay, body or no body', async () => {
  for (const raw of [undefined, '']) {
    const response = await call({}, { raw, headers: { authorization: undefined } })
    expect(response.status).toBe(402)
    expect(response.headers.get('payment-required')).toBeTruthy()
    expect(await response.json()).toMatchObject({ x402Version: 2, accepts: expect.any(Array) })
  }
})

test('an account without credit hears 402', async () => {
  const poor = await stage.openAccount(usd('0.05'))
  const response = await call({}, { headers: { authorization: `Bearer ${poor.secret}` } })
  expect([response.status, (await response.json()).code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
})

/** Each fault is found by a check that knows the conversation as messages, and told as the caller wrote it. */
test.each<[path: string, model: string, body: Record<string, unknown>]>([
  ['input.1.content', 'gallery', { input: [{ type: 'reasoning' }, user(...times(11, image()))] }],
  ['input.0.content', 'listener', { input: [user(...times(6, audio))] }],
  ['input', 'gallery', { input: [...times(10, user(...times(10, image()))), user(image())] }],
  [
    'input.2.content.1.type',
    'plain',
    { instructions: 'x', input: ['x', 'y'].map((text) => user({ text })).concat(user({ text: 'z' }, image())) },
  ],
  ['input.0.content.0.type', 'plain', { input: [user({ image_url: PNG })] }],
  ['input.0.content.1.type', 'plain', { input: [user({ text: 'x' }, audio)] }],
  ['input.1.content.0.image_url', 'seer', { input: [{ type: 'item_reference', id: 'x' }, user(image(TINY))] }],
  ['input.0.content.1.image_url', 'seer', { instructions: 'x', input: [user({ text: 'x' }, image('nonsense'))] }],
  ['input.0.content.0.image_url.url', 'seer', { input: [user({ image_url: { url: 'data:image/png;base64,' } })] }],
  ['input.0.content.0.image_url', 'seer', { input: [user(image('http://169.254.169.254/latest/meta-data'))] }],
  ['input.0.content.0.image_url', 'seer', { input: [user(image(dataUrl('image/png', 'no picture')))] }],
  ['input.0.content.0.file_data', 'atlas', { input: [user(file({ file_data: 'nonsense' }))] }],
  ['input.0.content.0.file_url', 'atlas', { input: [user(file({ file_url: 'http://127.0.0.1/x.pdf' }))] }],
  [
    'input.0.content.0.input_audio.data',
    'listener',
    { input: [user({ ...audio, input_audio: { data: 'https://a' } })] },
  ],
  ['tools', 'plain', { tools: [add] }],
  ['tool_choice', 'atlas', { tool_choice: 'required' }],
  ['tool_choice.name', 'atlas', { tools: [add], tool_choice: { type: 'function', name: 'mul' } }],
  [
    'tool_choice.function.name',
    'atlas',
    { tools: [add], tool_choice: { type: 'function', function: { name: 'mul' } } },
  ],
  ['text.format', 'plain', { text: { format: { type: 'json_object' } } }],
  ['text.format', 'plain', { text: { format: { type: 'json_schema', schema: {} } } }],
  ['reasoning.effort', 'atlas', { reasoning: { effort: 'high' } }],
])('the fault is at %s of what %s was asked', async (path, model, body) => {
  for (const stream of [false, true]) {
    const response = await call({ model, stream, ...body })
    const answer = await response.json()
    expect(response.status, JSON.stringify(answer)).toBe(400)
    expect(answer.issues.map((issue: { path: string[] }) => issue.path.join('.'))).toEqual([path])
    expect(JSON.stringify(answer)).not.toContain('messages')
    let tree = answer.details
    for (const step of path.split('.')) tree = tree[step]
    expect(tree._errors).toHaveLength(1)
  }
  expect(upstream.seen).toEqual([])
  expect(await spent()).toBe(0)
})

test('a conversation that cannot fit is a context overflow in its own shape, of the input', async () => {
  const response = await call({ input: 'tide '.repeat(40_000) })
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    error: {
      message: expect.any(String),
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    },
  })
})

test('a context overflow that the engine finds is told in the same way', async () => {
  upstream.answer = (_, response) => {
    const error = { message: 'too long', code: 'context_length_exceeded' }
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  }
  for (const stream of [false, true]) {
    const response = await call({ stream })
    expect([response.status, (await response.json()).error.param]).toEqual([400, 'input'])
  }
})

test('pictures and files of the input reach the model', async () => {
  const notes = file({ file_data: dataUrl('text/plain', 'High water is at 07:42.'), filename: 'notes.txt' })
  const content = [{ type: 'input_text', text: 'What is this?' }, image(), { image_url: { url: PNG } }, notes]
  expect((await call({ model: 'gallery', input: [user(...content)] })).status).toBe(200)
  const sent = JSON.stringify(upstream.seen[0]?.messages)
  expect(sent.match(/data:image\/(png|jpeg);base64,/g)).toHaveLength(2)
  expect(sent).toContain('High water is at 07:42.')
  const { types } = await events({ model: 'gallery', input: [user(...content)] })
  expect(types.at(-1)).toBe('response.completed')
})

test('tools of vendors reach no model, and cost nothing', async () => {
  const tools = ['code_interpreter', 'file_search', 'computer_use_preview', 'mcp'].map((type) => ({ type }))
  expect((await call({ model: 'atlas', tools, tool_choice: 'required' })).status).toBe(200)
  expect(upstream.seen[0]).not.toHaveProperty('tools')
  expect(await spent()).toBe(PRICE_OF_HELLO)
})
