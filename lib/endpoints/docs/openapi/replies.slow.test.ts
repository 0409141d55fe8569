import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, stop, USAGE } from '@/app/api/v1/chat/completions/testing/upstream'
import { uuid } from '@/lib/contract/ids'
import { expectDescribed, faultsOf } from '@/lib/endpoints/docs/openapi/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { startLocalServer } from '@/lib/kernel/testing/local-server'
import type { RouteHandler } from '@/lib/pipeline/route'
import { testWallet } from '@/lib/pipeline/testing'
import { pngOf } from '@/lib/services/documents/testing/bombs'
import { createKey } from '@/lib/services/identity/api-keys'
import { settled } from '@/lib/services/ledger/ledger'
import { routes } from '@/server/routes.gen'

const web = await startLocalServer((request, response) => {
  const found = { results: [{ url: 'https://sea.example/tides', title: 'Tides', content: 'High water 09:12' }] }
  const isSearch = request.url?.startsWith('/search')
  response.writeHead(200, { 'content-type': isSearch ? 'application/json' : 'text/markdown' })
  response.end(isSearch ? JSON.stringify(found) : '# Tides')
})
afterAll(() => web.close())
const stage = await chatStage({
  settings: {
    WELCOME_CREDIT_USD: '0',
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: web.origin,
    EGRESS_ALLOW_ORIGINS: web.origin,
  },
  models: [
    {
      id: 'sees',
      type: 'text',
      engine: 'house',
      contextTokens: 8_192,
      maxCompletionTokens: 512,
      capabilities: { supportsVision: true },
      pricing: { input: { usd: 1 }, output: { usd: 2 } },
    },
    { type: 'embedding', id: 'vectors', engine: 'house', embeddingDimensions: 2, pricing: { input: { usd: 0.1 } } },
    { type: 'tts', id: 'voice', engine: 'house', voices: ['one'], pricing: { input: { usd: 15 } } },
  ],
})

type Place = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
type Sent = {
  headers?: Record<string, string>
  body?: unknown
  form?: FormData
  query?: string
  params?: Record<string, string>
}

async function send(place: Place, { headers = {}, body, form, query = '', params = {} }: Sent = {}) {
  const [method, path] = place.split(' ') as [string, string]
  const named = path.slice(1).split('/')
  const found = routes.find(({ pattern }) => {
    const own = pattern.slice(2).map((segment) => segment.replace(/^\[(?:\.\.\.)?(.+)\]$/, '{$1}'))
    return pattern[1] === 'v1' && own.join('/') === named.join('/')
  })
  if (!found) throw new Error(`nobody serves ${place}`)
  const handler = (found.module as unknown as Record<string, RouteHandler>)[method]!
  const address = `http://localhost:3000/api/v1${path.replace(/\{(\w+)\}/g, (_, name) => params[name]!)}${query}`
  const request = new Request(address, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: form }),
  })
  const response = await handler(request, { params: Promise.resolve(params) })
  const { status } = response
  return { status, body: (await expectDescribed(place, response)) as Record<string, unknown> }
}

const bearer = () => ({ authorization: `Bearer ${stage.secret}` })
const adminOf = async () => {
  const { secret } = await createKey({ accountId: stage.accountId, type: 'ADMIN', description: 'admin' })
  return { authorization: `Bearer ${secret}` }
}
const question = { model: 'atlas', messages: [{ role: 'user', content: 'Hi' }] }

beforeEach(() => {
  for (const name of ['failure-budget', 'windows', 'limits', 'usage-analytics']) resetPerProcess(name)
})

test('the check finds a field too many, one too few and one of another kind', () => {
  const schema = { $ref: '#/components/schemas/JobCompleted' }
  expect(faultsOf(schema, { success: true })).toBeUndefined()
  for (const wrong of [{}, { success: 'true' }, { success: true, more: 1 }])
    expect(faultsOf(schema, wrong)).toBeTruthy()
})

describe('chat', () => {
  const place = 'POST /chat/completions'

  test('a whole answer, and one in chunks', async () => {
    expect((await send(place, { headers: bearer(), body: question })).status).toBe(200)
    const streamed = await send(place, { headers: bearer(), body: { ...question, stream: true } })
    expect(streamed.body.length).toBeGreaterThan(3)
  })

  test('thoughts, a call and log probabilities', async () => {
    stage.upstream.answer = thinkAndCall
    const tools = [{ type: 'function', function: { name: 'note', parameters: { type: 'object' } } }]
    const body = { ...question, tools, logprobs: true }
    await send(place, { headers: bearer(), body })
    await send(place, { headers: bearer(), body: { ...body, stream: true } })
  })

  test('refusals of every shape', async () => {
    const wrong = { authorization: 'Bearer nobody' }
    const refusals = await Promise.all([
      send(place, { headers: bearer(), body: { ...question, temperature: 9, tools: [{ type: 'function' }] } }),
      send(place, {
        headers: bearer(),
        body: { ...question, messages: [{ role: 'user', content: 'tide '.repeat(20_000) }] },
      }),
      send(place, { headers: wrong, body: question }),
      send(place, { body: question }),
      send(place, { headers: await testWallet().signIn(), body: { ...question, model: 'dear' } }),
      send(place, { headers: bearer(), body: { ...question, model: 'nobody' } }),
      send(place, { headers: bearer(), body: { ...question, model: 'retired' } }),
      send(place, { headers: { ...bearer(), 'content-type': 'text/plain' }, body: question }),
      send(place, { headers: bearer(), body: { ...question, model: 'broken' } }),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 401, 402, 402, 404, 410, 415, 503])
  })

  test('a picture that is out of bounds, with its place in the messages', async () => {
    const url = `data:image/png;base64,${Buffer.from(pngOf(30_000, 30_000)).toString('base64')}`
    const content = [{ type: 'image_url', image_url: { url } }]
    const refused = await send(place, {
      headers: bearer(),
      body: { model: 'sees', messages: [{ role: 'user', content }] },
    })
    expect(refused).toMatchObject({ status: 422, body: { code: 'IMAGE_TOO_LARGE', issues: [expect.any(Object)] } })
  })

  test('a response, whole and in events', async () => {
    stage.upstream.answer = thinkAndCall
    const body = { model: 'atlas', input: 'Hi' }
    expect((await send('POST /responses', { headers: bearer(), body })).status).toBe(200)
    await send('POST /responses', { headers: bearer(), body: { ...body, stream: true } })
  })
})

function thinkAndCall(_: unknown, response: ServerResponse): void {
  const write = beginStream(response)
  const choice = (delta: object, more: object = {}) => ({
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  })
  write(choice({ reasoning_content: 'Hm.' }))
  const token = { token: 'Yes', logprob: -0.1, bytes: [89], top_logprobs: [{ token: 'Yes', logprob: -0.1 }] }
  write(choice({ content: 'Yes' }, { logprobs: { content: [token] } }))
  write(delta('.'))
  write(
    choice({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'note', arguments: '{}' } }] }),
  )
  write(stop)
  write({ choices: [], usage: USAGE })
  write('[DONE]')
  response.end()
}

test('vectors, as numbers and as base64', async () => {
  stage.upstream.answer = ({ encoding_format }, response) => {
    const vector = Float32Array.from([0.5, -0.25])
    const embedding = encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: [{ index: 0, embedding }], usage: { prompt_tokens: 3 } }))
  }
  for (const encoding_format of ['float', 'base64']) {
    const body = { model: 'vectors', input: 'Hi', encoding_format }
    expect((await send('POST /embeddings', { headers: bearer(), body })).status).toBe(200)
  }
})

test('the web and files as text', async () => {
  const headers = bearer()
  const found = await send('POST /augment/search', { headers, body: { query: 'tides' } })
  expect(found.body.results).toHaveLength(1)
  expect((await send('POST /augment/search', { headers, body: { limit: 0 } })).status).toBe(400)
  expect((await send('POST /augment/scrape', { headers, body: { url: `${web.origin}/tides` } })).status).toBe(200)
  expect((await send('POST /augment/scrape', { headers, body: { url: 'https://nowhere.invalid' } })).status).toBe(500)
  for (const response_format of ['json', 'text']) {
    const form = new FormData()
    form.set('file', new File(['High water 09:12'], 'tides.txt'))
    form.set('response_format', response_format)
    expect((await send('POST /augment/text-parser', { headers, form })).status).toBe(200)
  }
  expect((await send('POST /augment/text-parser', { headers, body: {} })).status).toBe(415)
})

test('the lists that are open to everyone', async () => {
  const all = await send('GET /models', { query: '?type=all' })
  expect((all.body.data as unknown[]).length).toBeGreaterThan(8)
  await send('GET /models', { query: '?type=nothing' })
  await send('GET /models/traits')
  await send('GET /models/compatibility_mapping')
  await send('GET /models/{id}', { params: { id: 'atlas' } })
  expect((await send('GET /models/{id}', { params: { id: 'nobody' } })).status).toBe(404)
  await send('GET /image/styles')
  await send('GET /crypto/rpc/networks')
})

test("an account's keys, limits and bills", async () => {
  await send('POST /chat/completions', { headers: bearer(), body: question })
  await settled()
  const headers = await adminOf()
  const limited = { apiKeyType: 'INFERENCE', description: 'one', consumptionLimit: { usd: 1 } }
  const made = await send('POST /api_keys', { headers, body: limited })
  const { id } = made.body.data as { id: string }
  await send('GET /api_keys', { headers })
  await send('GET /api_keys/{id}', { headers, params: { id } })
  await send('PATCH /api_keys', { headers, body: { id, description: 'two' } })
  await send('PATCH /api_keys', { headers, body: { id, colour: 'red' } })
  expect((await send('DELETE /api_keys', { headers, query: `?id=${id}` })).status).toBe(200)
  await send('GET /api_keys/{id}', { headers, params: { id } })
  await send('GET /api_keys', { headers: bearer() })
  await send('GET /api_keys/rate_limits', { headers: bearer() })
  await send('GET /api_keys/rate_limits/log', { headers })
  await send('GET /api_keys/generate_web3_key')
  await send('GET /billing/balance', { headers })
  for (const accept of ['application/json', 'text/csv']) {
    await send('GET /billing/usage', { headers: { ...headers, accept } })
    await send('GET /billing/usage-history', { headers: { ...headers, accept }, query: '?pageSize=10' })
  }
  await send('GET /billing/usage-history', { headers, query: '?colour=red' })
  const analytics = await send('GET /billing/usage-analytics', { headers })
  expect(analytics.body.byModel).toHaveLength(1)
})

test("a wallet's credit, its movements and its payments", async () => {
  const wallet = testWallet()
  const params = { walletAddress: wallet.address }
  await send('GET /x402/balance/{walletAddress}', { headers: await wallet.signIn(), params })
  await send('GET /x402/transactions/{walletAddress}', { headers: await wallet.signIn(), params })
  await send('GET /x402/balance/{walletAddress}', { params })
  await send('POST /x402/top-up')
  await send('POST /x402/top-up', { headers: { 'payment-signature': 'no payment' } })
})

test('characters, and what is refused of jobs and networks', async () => {
  const headers = bearer()
  const list = await send('GET /characters', { headers, query: '?limit=1' })
  const [{ slug }] = list.body.data as [{ slug: string }]
  await send('GET /characters/{slug}', { headers, params: { slug } })
  await send('GET /characters/{slug}/reviews', { headers, params: { slug } })
  expect((await send('GET /characters/{slug}', { headers, params: { slug: 'nobody' } })).status).toBe(404)
  const body = { queue_id: uuid() }
  for (const kind of ['audio', 'video'] as const) {
    expect((await send(`POST /${kind}/retrieve`, { headers, body })).status).toBe(400)
    expect((await send(`POST /${kind}/complete`, { headers, body })).status).toBe(400)
    await send(`POST /${kind}/quote`, { body: { model: 'atlas', ...(kind === 'video' && { duration: '5s' }) } })
  }
  const call = { method: 'eth_subscribe' }
  await send('POST /crypto/rpc/{network}', { headers, body: call, params: { network: 'base-mainnet' } })
  await send('POST /crypto/rpc/{network}', { body: call, params: { network: 'nowhere' } })
})
