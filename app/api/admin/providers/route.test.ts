import { afterAll, beforeAll, expect, test } from 'vitest'
import { POST as DEFAULT } from '@/app/api/admin/models/default/route'
import { DELETE, PATCH } from '@/app/api/admin/providers/[name]/route'
import { GET as FOUND } from '@/app/api/admin/providers/found/route'
import { POST as MODELS } from '@/app/api/admin/providers/models/route'
import { GET, POST } from '@/app/api/admin/providers/route'
import { POST as WORD } from '@/app/api/admin/providers/word/route'
import { POST as SIGN_IN } from '@/app/api/admin/session/route'
import { GET as LIST } from '@/app/api/v1/models/route'
import {
  type ConnectedProvider,
  type ListReply,
  type OfferedModel,
  PROBE_SENTENCES,
  type ProvidersReply,
  withMargin,
} from '@/lib/contract/providers'
import { testDatabase } from '@/lib/db/testing'
import { closeEngines } from '@/lib/services/engines/registry'
import { operatorLink } from '@/lib/services/identity/operator'
import { setEnvironment } from '@/lib/services/identity/testing'
import { followConnected, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'
import { chooseDefault } from '@/lib/services/models/choose-default'
import {
  chatAnswer,
  OPENROUTER_MODELS,
  startVendor,
  type Vendor,
  withKey,
} from '@/lib/services/models/providers/testing/vendors'

await testDatabase()
setEnvironment({ EMBEDDED_MODELS: 'off', LOCAL_ENGINES: 'off' })
const ORIGIN = 'http://localhost:3000'
const KEY = 'sk-or-v1-0123456789'
let vendor: Vendor
let cookie = ''

beforeAll(async () => {
  vendor = await startVendor({
    'GET /api/v1/models': withKey(KEY, OPENROUTER_MODELS),
    'POST /api/v1/chat/completions': chatAnswer,
  })
  await loadCatalogue()
  await followConnected()
  const token = new URL((await operatorLink()).link).hash.slice('#token='.length)
  const signedIn = await SIGN_IN(request('POST', '/session', { token }, ''), { params: Promise.resolve({}) })
  cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
})
afterAll(async () => {
  unloadCatalogue()
  await closeEngines()
  await vendor.close()
})

const request = (method: string, path: string, body?: unknown, sent = cookie, origin = ORIGIN) =>
  new Request(`${ORIGIN}/api/admin${path}`, {
    method,
    headers: {
      origin,
      ...(sent && { cookie: sent }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
const call = async (handler: typeof GET, sent: Request, name?: string) =>
  handler(sent, { params: Promise.resolve(name === undefined ? {} : { name }) })
const jsonOf = async <T>(response: Response | Promise<Response>) => (await (await response).json()) as T

test('each of them is the operator’s alone, and of our own pages', async () => {
  const calls: [typeof GET, string, string, unknown?][] = [
    [GET, 'GET', '/providers'],
    [POST, 'POST', '/providers', {}],
    [FOUND, 'GET', '/providers/found'],
    [MODELS, 'POST', '/providers/models', {}],
    [WORD, 'POST', '/providers/word', {}],
    [PATCH, 'PATCH', '/providers/x', {}],
    [DELETE, 'DELETE', '/providers/x'],
    [DEFAULT, 'POST', '/models/default', { id: 'x' }],
  ]
  for (const [handler, method, path, body] of calls) {
    const stranger = await call(handler, request(method, path, body, ''), 'x')
    expect(stranger.status).toBe(401)
    expect((await call(handler, request(method, path, body, cookie, 'https://evil.example'), 'x')).status).toBe(401)
  }
})

test('from an address and a key to a model that callers see, with its price', async () => {
  const server = { address: `${vendor.origin}/api/v1`, key: KEY }
  const listed = await jsonOf<Extract<ListReply, { models: OfferedModel[] }>>(
    call(MODELS, request('POST', '/providers/models', server)),
  )
  expect(listed).toMatchObject({ address: server.address, preset: null, omitted: 0 })
  const coder = listed.models.find(({ upstreamModel }) => upstreamModel === 'qwen/qwen3-coder')!
  const proposed = withMargin(coder.cost, 25)
  expect(proposed).toEqual({ input: 0.25, output: 1.0625, cacheInput: 0.025 })
  expect(
    await jsonOf(call(WORD, request('POST', '/providers/word', { ...server, model: coder.upstreamModel }))),
  ).toMatchObject({ word: 'Hello' })

  const models = [{ ...coder, prices: proposed }]
  const added = await call(
    POST,
    request('POST', '/providers', { ...server, name: 'router', models, marginPercent: 25 }),
  )
  expect(added.status).toBe(201)
  expect(added.headers.get('cache-control')).toBe('no-store')
  expect(await jsonOf<ConnectedProvider>(added)).toMatchObject({ name: 'router', keyLast4: '6789' })
  const reply = await jsonOf<ProvidersReply>(call(GET, request('GET', '/providers')))
  expect(reply.providers).toMatchObject([
    { name: 'router', marginPercent: 25, models: [{ id: 'router/qwen/qwen3-coder', state: 'live' }] },
  ])
  expect(reply.presets.length).toBeGreaterThanOrEqual(15)
  expect(JSON.stringify(reply)).not.toContain(KEY)

  const list = await jsonOf<{ data: { id: string; model_spec: { pricing: unknown } }[] }>(
    LIST(new Request(`${ORIGIN}/api/v1/models`), { params: Promise.resolve({}) }),
  )
  expect(list.data.find(({ id }) => id === 'router/qwen/qwen3-coder')!.model_spec.pricing).toEqual({
    input: { usd: 0.25, diem: 0.25 },
    output: { usd: 1.0625, diem: 1.0625 },
    cache_input: { usd: 0.025, diem: 0.025 },
  })

  // The page has no key any more; the server's is used.
  const again = await jsonOf<ListReply>(call(MODELS, request('POST', '/providers/models', { provider: 'router' })))
  expect(again).toMatchObject({
    models: expect.arrayContaining([expect.objectContaining({ upstreamModel: 'qwen/qwen3-coder' })]),
  })
  const paused = await call(PATCH, request('PATCH', '/providers/router', { isPaused: true }), 'router')
  expect(await jsonOf(paused)).toMatchObject({ isPaused: true, models: [{ state: 'paused' }] })
  expect((await call(DELETE, request('DELETE', '/providers/router'), 'router')).status).toBe(200)
  expect((await call(DELETE, request('DELETE', '/providers/router'), 'router')).status).toBe(404)
})

test('what a server refuses is a result with a sentence; what the page may not send is refused itself', async () => {
  const wrong = { address: `${vendor.origin}/api/v1`, key: 'sk-wrong-key' }
  expect(await jsonOf(call(MODELS, request('POST', '/providers/models', wrong)))).toEqual({
    fault: 'key-refused',
    // The page translates the sentence by itself.
    message: expect.stringContaining(PROBE_SENTENCES['key-refused']),
    detail: expect.stringContaining('API key provided'),
  })
  const million = { ...wrong, models: [{ upstreamModel: 'm', type: 'text', prices: { input: 1e6, output: 1e6 } }] }
  const refused = await call(POST, request('POST', '/providers', million))
  expect(refused.status).toBe(400)
  expect(await jsonOf(refused)).toMatchObject({ error: expect.stringContaining('above 1000 USD') })
  expect((await call(POST, request('POST', '/providers', { address: 'ftp://x', models: [] }))).status).toBe(400)
  expect((await call(MODELS, request('POST', '/providers/models', { preset: 'nobody' }))).status).toBe(400)
})

test('a connected model is made the default, and gives its place back while it is paused', async () => {
  const server = { address: `${vendor.origin}/api/v1`, key: KEY, name: 'router', marginPercent: 0 }
  const models = ['first', 'second'].map((upstreamModel) => ({ upstreamModel, type: 'text', prices: null }))
  await call(POST, request('POST', '/providers', { ...server, models }))
  const choose = (id: string) => call(DEFAULT, request('POST', '/models/default', { id }))
  const defaults = async () => {
    const { providers } = await jsonOf<ProvidersReply>(call(GET, request('GET', '/providers')))
    return providers.flatMap((one) => one.models.filter(({ isDefault }) => isDefault).map(({ id }) => id))
  }
  expect(await defaults()).toEqual(['router/first'])
  expect(await jsonOf(choose('router/second'))).toEqual({ type: 'text', id: 'router/second', isChosen: true })
  expect(await defaults()).toEqual(['router/second'])
  await call(PATCH, request('PATCH', '/providers/router', { isPaused: true }), 'router')
  expect(await defaults()).toEqual(['router/first'])
  await expect(chooseDefault('router/first')).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  await call(PATCH, request('PATCH', '/providers/router', { isPaused: false }), 'router')
  expect(await defaults()).toEqual(['router/second'])
  await call(DELETE, request('DELETE', '/providers/router'), 'router')
})
