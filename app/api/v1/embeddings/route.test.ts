import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/embeddings/route'

const model = (id: string, more: object = {}) => ({
  type: 'embedding',
  id,
  engine: 'house',
  embeddingDimensions: 4,
  pricing: { input: { usd: 0.1 } },
  ...more,
})
const stage = await chatStage({
  route: { path: 'embeddings', POST, body: { model: 'vectors', input: 'Hi' } },
  models: [
    model('vectors'),
    model('elastic', { supportsCustomDimensions: true }),
    model('small', { maxInputTokens: 10 }),
  ],
})
const { upstream, call, spent, linesOf } = stage

const send = (response: ServerResponse, value: unknown) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
const vectorOf = (text: string) => Float32Array.from([text.length, 0.1, -0.5, 1 / 3])
const base64 = (vector: Float32Array) => Buffer.from(vector.slice().buffer).toString('base64')

/** Answers last text first, so that the order has to come from `index`. */
function embed({ input, encoding_format }: Record<string, unknown>, response: ServerResponse): void {
  const data = (input as string[]).map((text, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? base64(vectorOf(text)) : [...vectorOf(text)],
  }))
  send(response, { object: 'list', data: data.reverse(), usage: { prompt_tokens: 3 * data.length } })
}

async function embedded(body: Record<string, unknown>, answer: typeof upstream.answer = embed) {
  upstream.answer = answer
  const response = await call(body)
  return { response, body: await response.json() }
}

test('each text has its vector in its place, as numbers of 32 bits, and the tokens are charged', async () => {
  const { response, body } = await embedded({ model: 'vectors', input: ['a', 'bcd'] })
  expect(response.status).toBe(200)
  expect(body).toEqual({
    object: 'list',
    model: 'vectors',
    data: [
      { object: 'embedding', index: 0, embedding: [1, 0.100000001, -0.5, 0.333333343] },
      { object: 'embedding', index: 1, embedding: [3, 0.100000001, -0.5, 0.333333343] },
    ],
    usage: { prompt_tokens: 6, total_tokens: 6 },
  })
  expect(response.headers.get('x-service-model-id')).toBe('vectors')
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('500')
  expect(await spent()).toBe(0.0000006)
  expect(await linesOf()).toEqual({ 'vectors-embedding-input-mtoken': [6, 0.0000006] })
})

test('base64 is the same numbers, little-endian', async () => {
  const { body } = await embedded({ model: 'vectors', input: 'four', encoding_format: 'base64' })
  const bytes = Buffer.from(body.data[0].embedding, 'base64')
  expect([0, 4, 8, 12].map((at) => bytes.readFloatLE(at))).toEqual([...vectorOf('four')])
})

test('a full batch goes upstream in parts and comes back whole', async () => {
  const input = Array.from({ length: 2_048 }, (_, index) => 'x'.repeat(1 + (index % 50)))
  const { response, body } = await embedded({ model: 'vectors', input })
  expect(response.status).toBe(200)
  expect(body.data.map(({ embedding: [length] }: { embedding: number[] }) => length)).toEqual(
    input.map((text) => text.length),
  )
  expect(upstream.seen.length).toBeGreaterThan(1)
  expect(Math.max(...upstream.seen.map(({ input }) => (input as string[]).length))).toBeLessThanOrEqual(64)
  expect(body.usage.total_tokens).toBe(3 * 2_048)
})

test('a long reply is compressed for who takes it', async () => {
  upstream.answer = embed
  const body = { model: 'vectors', input: Array(100).fill('tide') }
  const response = await call(body, { headers: { 'accept-encoding': 'gzip, br' } })
  expect(response.headers.get('content-encoding')).toBe('br')
  expect(response.headers.get('vary')).toContain('Accept-Encoding')
})

test('shorter vectors are asked for where the model makes them, and refused elsewhere', async () => {
  const { response } = await embedded({ model: 'elastic', input: 'a', dimensions: 2 })
  expect(response.status).toBe(200)
  expect(upstream.seen.at(-1)).toMatchObject({ dimensions: 2 })
  for (const body of [
    { model: 'elastic', input: 'a', dimensions: 5 },
    { model: 'vectors', input: 'a', dimensions: 2 },
  ]) {
    const { response, body: said } = await embedded(body)
    expect(response.status).toBe(400)
    expect(said.details.dimensions._errors[0]).toMatch(/at most 4|of 4 numbers and no others/)
  }
})

test.each([
  ['no input', { input: undefined }, 'input'],
  ['empty text', { input: '' }, 'input'],
  ['an empty list', { input: [] }, 'input'],
  ['an empty text in the list', { input: ['a', ''] }, 'input'],
  ['too many texts', { input: Array(2_049).fill('a') }, 'input'],
  ['token ids', { input: [1, 2, 3] }, 'input'],
  ['lists of token ids', { input: [[1, 2], [3]] }, 'input'],
  ['another format', { encoding_format: 'int8' }, 'encoding_format'],
  ['no dimensions', { dimensions: 0 }, 'dimensions'],
  ['half a dimension', { dimensions: 1.5 }, 'dimensions'],
  ['an unknown field', { truncate: true }, undefined],
  ['more tokens than the model takes', { model: 'small', input: ['ok', 'x'.repeat(60)] }, 'input'],
])('%s: 400 that says where, and nothing is charged', async (_, body, field) => {
  const { response, body: said } = await embedded({ model: 'vectors', ...body })
  expect(response.status).toBe(400)
  expect(said).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(said.issues.length).toBeGreaterThan(0)
  if (field) expect(said.issues[0].path[0]).toBe(field)
  expect(upstream.seen).toEqual([])
  expect(await spent()).toBe(0)
})

test('a model of another type, an unknown one and the usual foreign name', async () => {
  expect((await embedded({ model: 'atlas', input: 'a' })).body).toMatchObject({ code: 'INVALID_MODEL' })
  expect((await embedded({ model: 'nobody', input: 'a' })).response.status).toBe(404)
  const { body } = await embedded({ model: 'text-embedding-ada-002', input: 'a' })
  expect(body.model).toBe('vectors')
})

test.each<[string, typeof upstream.answer, number]>([
  ['is no JSON', (_, response) => void response.end('<html>'), 500],
  ['lacks a vector', (_, response) => send(response, { data: [{ index: 0, embedding: [1, 2] }] }), 500],
  [
    'holds vectors of two lengths',
    (_, response) => send(response, { data: [{ embedding: [1, 2] }, { embedding: [1, 2, 3] }] }),
    500,
  ],
  ['holds what is no number', (_, response) => send(response, { data: Array(2).fill({ embedding: ['x'] }) }), 500],
  ['says busy', (_, response) => void response.writeHead(429).end(), 429],
  ['says that it is too long', (_, response) => void response.writeHead(400).end('{"error":"maximum context"}'), 400],
])('an upstream whose reply %s is an error, and free', async (_, answer, status) => {
  const { response } = await embedded({ model: 'vectors', input: ['a', 'b'] }, answer)
  expect(response.status).toBe(status)
  expect(await spent()).toBe(0)
})

test('a count that cannot be true is not charged', async () => {
  const { body } = await embedded({ model: 'vectors', input: 'tide' }, (_, response) =>
    send(response, { data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 9_000_000 } }),
  )
  expect(body.usage.prompt_tokens).toBeLessThan(20)
})

test('without credentials the reply says how to pay, and another type of body is refused', async () => {
  expect((await call({}, { headers: { authorization: undefined } })).status).toBe(402)
  expect((await call({}, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
})
