import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST as complete } from '@/app/api/v1/video/complete/route'
import { POST as queue } from '@/app/api/v1/video/queue/route'
import { POST as quote } from '@/app/api/v1/video/quote/route'
import { POST as retrieve } from '@/app/api/v1/video/retrieve/route'
import { uuid } from '@/lib/contract/ids'
import { ProgressResponse, QuoteResponse } from '@/lib/contract/jobs.schema'
import { usd } from '@/lib/contract/money'
import { VideoQueueResponse } from '@/lib/contract/video.schema'
import { videoHandler } from '@/lib/endpoints/video/job'
import { testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { endOf } from '@/lib/services/jobs/testing'
import {
  scriptedProvider as provide,
  type scriptedProvider,
  sendBytes,
  sendJson,
  testWorker,
  VIDEO,
} from '@/lib/services/jobs/testing-jobs'
import { balancesOf, credit } from '@/lib/services/ledger/ledger'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const constraints = {
  model_type: 'text-to-video',
  aspect_ratios: ['16:9', '9:16'],
  resolutions: ['480p', '720p'],
  durations: ['4s', '8s', 'Auto'],
  audio: false,
  audio_configurable: false,
}
const video = { type: 'video', engine: 'studio', price: { perSecond: 0.05, resolutions: { '720p': 0.1 } } }
const provider: Awaited<ReturnType<typeof scriptedProvider>> = await provide()
const stage = await chatStage({
  settings: { WELCOME_CREDIT_USD: '0' },
  route: { path: 'video/queue', POST: queue, body: {} },
  models: [
    { ...video, id: 'reel', upstreamModel: 'their-reel', constraints, aliases: ['sora-2'] },
    { ...video, id: 'still', constraints: { ...constraints, model_type: 'image-to-video', durations: [] } },
    {
      ...video,
      id: 'gratis',
      engine: 'studio',
      price: undefined,
      constraints: { ...constraints, aspect_ratios: [], resolutions: [] },
    },
    {
      ...video,
      id: 'far',
      engine: 'predictor',
      upstreamModel: 'owner/film',
      constraints,
      inputNames: { video_url: 'clip' },
    },
    { ...video, id: 'nobody', engine: 'gone', constraints },
    { ...video, id: 'theirs', regionRestrictions: ['US'], constraints },
  ],
  engines: {
    studio: { kind: 'openai', baseUrls: [provider.url] },
    predictor: { kind: 'openai', baseUrls: [provider.url], jobStyle: 'predictions' },
  },
})
const { database, call, left } = stage
const startWith = testWorker(database)

const ask = (path: string, POST: typeof queue, body: Record<string, unknown>, headers = {}) =>
  call(body, { headers, route: { path: `video/${path}`, POST, body: { model: undefined } } })
const ORDER = { model: 'reel', prompt: 'waves at dusk', duration: '4s', aspect_ratio: '16:9', resolution: '480p' }
const PRICE = 0.2

async function queued(body: Record<string, unknown> = {}) {
  const response = await ask('queue', queue, { ...ORDER, ...body })
  expect(response.status).toBe(200)
  return VideoQueueResponse.parse(await response.json())
}

const work = (pace = { minMs: 5, maxMs: 20 }) => startWith({ video: videoHandler({ pace }) })

/** A provider that does its work at the third look. */
function dutiful(file: Uint8Array = VIDEO): void {
  let looks = 0
  provider.seen = []
  provider.answer = ({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, { id: 'vid_1', status: 'queued' })
    if (path.endsWith('/content')) return sendBytes(response, file)
    looks++
    return sendJson(response, { id: 'vid_1', status: looks > 2 ? 'completed' : 'in_progress' })
  }
}

test('a film is quoted, queued, made, fetched and deleted, and costs what was quoted', async () => {
  dutiful()
  const { quote: price } = QuoteResponse.parse(
    await (await ask('quote', quote, ORDER, { authorization: undefined })).json(),
  )
  expect(price).toBe(PRICE)
  const { model, queue_id } = await queued()
  expect(model).toBe('reel')
  expect(queue_id).toMatch(/^[0-9a-f-]{36}$/)
  expect(await left()).toBe(5 - PRICE)
  const early = await ask('retrieve', retrieve, { queue_id })
  expect(ProgressResponse.parse(await early.json()).execution_duration).toBe(0)
  await work()
  await endOf(database, queue_id)
  const response = await ask('retrieve', retrieve, { queue_id, model: 'reel', delete_media_on_completion: true })
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(VIDEO.length),
    'x-service-model-id': 'reel',
    'x-ratelimit-limit-requests': '120',
  })
  expect(Buffer.from(await response.arrayBuffer())).toEqual(VIDEO)
  expect(await left()).toBe(5 - PRICE)
  expect(await stage.linesOf()).toEqual({ 'reel-video-second': [4, PRICE] })
  for (let tries = 0; tries < 50; tries++) {
    if ((await ask('retrieve', retrieve, { queue_id })).status === 404) break
    await sleep(20)
  }
  const gone = await ask('retrieve', retrieve, { queue_id })
  expect([gone.status, (await gone.json()).code]).toEqual([404, 'MEDIA_NOT_FOUND'])
  expect(provider.seen[0]).toMatchObject({
    path: '/videos',
    headers: { 'idempotency-key': queue_id },
    body: { model: 'their-reel', prompt: 'waves at dusk', seconds: '4', size: '854x480' },
  })
})

test('a file that was not deleted can be fetched again, until it is completed; completing again does nothing', async () => {
  dutiful()
  const { queue_id } = await queued({ model: 'sora-2' })
  await work()
  await endOf(database, queue_id)
  for (const model of ['reel', 'sora-2']) {
    const { status, headers } = await ask('retrieve', retrieve, { queue_id, model })
    expect([status, headers.get('content-type')]).toEqual([200, 'video/mp4'])
  }
  for (let n = 0; n < 2; n++) {
    expect(await (await ask('complete', complete, { queue_id, model: 'reel' })).json()).toEqual({ success: true })
  }
  expect((await ask('retrieve', retrieve, { queue_id })).status).toBe(404)
  expect(await left()).toBe(5 - PRICE)
})

test('a job that is completed while it runs is cancelled at the provider and given back', async () => {
  dutiful()
  const asked = Promise.withResolvers<void>()
  const answer = provider.answer
  provider.answer = (asking, response) => {
    if (asking.method === 'POST') return answer(asking, response)
    asked.resolve()
    return sendJson(response, asking.method === 'DELETE' ? { deleted: true } : { status: 'in_progress' })
  }
  const { queue_id } = await queued()
  await work()
  await asked.promise
  const { status } = await ask('retrieve', retrieve, { queue_id })
  expect(status).toBe(200)
  expect(await (await ask('complete', complete, { queue_id })).json()).toEqual({ success: true })
  expect(await left()).toBe(5)
  expect((await ask('retrieve', retrieve, { queue_id })).status).toBe(404)
})

test('a wallet that cancels is told what it can spend after that', async () => {
  const wallet = testWallet()
  const asWallet = async (path: string, POST: typeof queue, body: Record<string, unknown>) =>
    ask(path, POST, body, { authorization: undefined, ...(await wallet.signIn()) })
  // The first sign-in makes the account.
  await asWallet('queue', queue, ORDER)
  const { id } = (await findAccount(wallet.address))!
  await credit({ accountId: id, currency: 'USD', amount: usd('5'), kind: 'grant', idempotencyKey: uuid() })
  const { queue_id } = await (await asWallet('queue', queue, ORDER)).json()
  const cancelled = await asWallet('complete', complete, { queue_id })
  expect(await cancelled.json()).toEqual({ success: true })
  expect(cancelled.headers.get('x-balance-remaining')).toBe('5.000000')
  expect((await balancesOf(id)).USD).toBe(usd('5'))
})

test('predictions: asked in its own names, found where it says', async () => {
  provider.seen = []
  let looks = 0
  provider.answer = ({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, { id: 'p1', status: 'starting' }, 201)
    if (path === '/file.mp4') return sendBytes(response, VIDEO)
    looks++
    const output = [`${provider.url}/file.mp4`]
    return sendJson(response, looks > 1 ? { status: 'succeeded', output } : { status: 'processing' })
  }
  const { queue_id } = await queued({ model: 'far', negative_prompt: 'text' })
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'done', media_bytes: VIDEO.length })
  expect(provider.seen[0]).toMatchObject({
    path: '/models/owner/film/predictions',
    body: {
      input: {
        prompt: 'waves at dusk',
        negative_prompt: 'text',
        duration: 4,
        aspect_ratio: '16:9',
        resolution: '480p',
      },
    },
  })
})

test.each([
  ['says that it failed', { status: 'failed', error: { code: 'server_error', message: 'GPU fell over' } }, 500, false],
  [
    'refuses the content',
    { status: 'failed', error: { code: 'content_policy_violation', type: 'invalid_request_error', message: 'no' } },
    422,
    true,
  ],
  ['blocks it in moderation', { status: 'failed', error: { code: 'moderation_blocked', message: 'no' } }, 422, true],
  ['cancelled by itself', { status: 'cancelled' }, 500, false],
])('a provider that %s: nothing is charged, and the answer says so', async (_, state, status, isPolicy) => {
  provider.answer = ({ method }, response) =>
    sendJson(response, method === 'POST' ? { id: 'vid_1', status: 'queued' } : state)
  const { queue_id } = await queued()
  await work()
  await endOf(database, queue_id)
  const response = await ask('retrieve', retrieve, { queue_id })
  expect(response.status).toBe(status)
  const body = await response.json()
  expect(JSON.stringify(body)).not.toContain('GPU')
  if (isPolicy) {
    expect(body).toEqual({
      error: { message: expect.any(String), type: 'provider_content_policy', credits_refunded: true },
    })
  } else {
    expect(body).toMatchObject({ error: expect.stringContaining('Nothing was charged.') })
  }
  expect(await left()).toBe(5)
})

test.each([
  ['a page in place of a film', Buffer.from('<!doctype html><p>Error')],
  ['nothing at all', Buffer.alloc(0)],
  ['a film of another kind', Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80, 0, 0, 0, 0, 0])],
])('a provider that sends %s has failed', async (_, file) => {
  dutiful(file)
  const { queue_id } = await queued()
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'failed', media_id: null })
  expect(await left()).toBe(5)
})

test('a provider that is busy, dies and lies on the way still gets there', async () => {
  let step = 0
  provider.answer = ({ method, path }, response) => {
    step++
    if (step === 1) return sendJson(response, { error: { message: 'later', code: 'rate_limit' } }, 429)
    if (method === 'POST') return sendJson(response, { id: 'vid_1', status: 'queued' })
    if (step === 3) return void response.destroy()
    if (step === 4) return void response.writeHead(502).end('<html>')
    if (step === 5) return sendJson(response, { status: 'pondering' })
    if (path.endsWith('/content')) return sendBytes(response, VIDEO)
    return sendJson(response, { status: 'completed' })
  }
  const { queue_id } = await queued()
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'done' })
})

test('a provider that does not know the work any more fails it', async () => {
  provider.answer = ({ method }, response) =>
    method === 'POST' ? sendJson(response, { id: 'vid_1' }) : sendJson(response, { error: 'unknown' }, 404)
  const { queue_id } = await queued()
  await work({ minMs: 1, maxMs: 2 })
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'failed', failure: { reason: 'offline' } })
  expect((await ask('retrieve', retrieve, { queue_id })).status).toBe(503)
  expect(await left()).toBe(5)
})

test.each([
  ['never ends', { status: 'queued' }],
  ['hangs', undefined],
])('a provider that %s is ended by the job’s own deadline', async (_, state) => {
  provider.answer = ({ method }, response) => {
    if (method === 'POST') sendJson(response, { id: 'v' })
    else if (state) sendJson(response, state)
  }
  const { queue_id } = await queued()
  await database.query(`update job set deadline = now() + interval '300 milliseconds' where id = $1`, [queue_id])
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'failed', failure: { reason: 'timeout' } })
  expect(await left()).toBe(5)
})

test('an id with a path inside is no id', async () => {
  provider.seen = []
  provider.answer = (_, response) => sendJson(response, { id: '../../admin', status: 'queued' })
  const { queue_id } = await queued()
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'failed' })
  expect(provider.seen.every(({ path }) => path === '/videos')).toBe(true)
})

test('a prompt of any characters comes through as it was', async () => {
  dutiful()
  const prompt = 'waves \u0000 \ud800 “ю” 🌊 \\ "'
  const { queue_id } = await queued({ prompt })
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'done' })
  expect(provider.seen[0]?.body).toMatchObject({ prompt })
})

test('free films move no money', async () => {
  dutiful()
  const { queue_id } = await queued({ model: 'gratis', aspect_ratio: undefined, resolution: undefined, duration: '8s' })
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'done' })
  expect(await left()).toBe(5)
})

test('a picture inside the body goes to the provider; one at an address that is not public is refused by the job', async () => {
  dutiful()
  const sent = await queued({ model: 'still', image_url: PIXEL, duration: '8s' })
  const hostile = await queued({ model: 'still', image_url: 'http://169.254.169.254/latest', duration: '8s' })
  await work()
  expect(await endOf(database, sent.queue_id)).toMatchObject({ state: 'done' })
  expect(provider.seen[0]?.body).toMatchObject({ input_reference: { image_url: PIXEL } })
  expect(await endOf(database, hostile.queue_id)).toMatchObject({
    state: 'failed',
    failure: { reason: 'invalid-request', message: 'The address in image_url could not be fetched.' },
  })
  expect((await ask('retrieve', retrieve, { queue_id: hostile.queue_id })).status).toBe(400)
})

test.each([
  ['no prompt', { prompt: undefined }, 'prompt'],
  ['an empty prompt', { prompt: '' }, 'prompt'],
  ['too long a prompt', { prompt: 'x'.repeat(2_501) }, 'prompt'],
  ['too long a negative prompt', { negative_prompt: 'x'.repeat(2_501) }, 'negative_prompt'],
  ['no duration', { duration: undefined }, 'duration'],
  ['a duration that is none', { duration: '31s' }, 'duration'],
  ['a number for a duration', { duration: 4 }, 'duration'],
  ['a duration that the model does not make', { duration: '5s' }, 'duration'],
  ['a shape that the model does not make', { aspect_ratio: '1:1' }, 'aspect_ratio'],
  ['no shape where there is a choice', { aspect_ratio: undefined }, 'aspect_ratio'],
  ['no resolution where there is a choice', { resolution: undefined }, 'resolution'],
  ['a shape where there is no choice', { model: 'gratis', resolution: undefined }, 'aspect_ratio'],
  ['sound where there is none', { audio: true }, 'audio'],
  ['no picture where it begins with one', { model: 'still' }, 'image_url'],
  ['a picture where it makes films of text', { image_url: PIXEL }, 'image_url'],
  ['a picture that is none', { model: 'still', image_url: 'data:image/png;base64,aGVsbG8=' }, 'image_url'],
  ['an address that is no web address', { model: 'still', image_url: 'file:///etc/passwd' }, 'image_url'],
  ['a film that the model does not take', { video_url: 'https://example.com/a.mp4' }, 'video_url'],
  ['a film that is none', { model: 'far', video_url: PIXEL }, 'video_url'],
  ['references that the model does not take', { reference_image_urls: [PIXEL] }, 'reference_image_urls'],
  ['too many elements', { elements: [{}, {}, {}, {}, {}] }, 'elements'],
  ['an upscale factor of three', { upscale_factor: 3 }, 'upscale_factor'],
])('%s: 400 that says where, and nothing is queued', async (_, body, field) => {
  const response = await ask('queue', queue, { ...ORDER, ...body })
  expect(response.status).toBe(400)
  const { code, details } = await response.json()
  expect(code).toBe('INVALID_REQUEST')
  expect(Object.keys(details)).toContain(field)
  expect(await left()).toBe(5)
})

test('unknown fields are ignored, as wallets and newer clients send them', async () => {
  const response = await ask('queue', queue, { ...ORDER, colour: 'teal', consents: {} })
  expect(response.status).toBe(200)
})

test.each([
  ['an unknown model', { model: 'nothing' }, 404],
  ['a model of another type', { model: 'atlas' }, 400],
  ['a model for another region', { model: 'theirs' }, 403],
])('%s is refused by quote and queue alike', async (_, body, status) => {
  expect((await ask('queue', queue, { ...ORDER, ...body })).status).toBe(status)
  expect((await ask('quote', quote, { ...ORDER, ...body }, { authorization: undefined })).status).toBe(status)
})

test.each([
  [{ duration: '8s', resolution: '720p' }, 0.8],
  [{ duration: '4s' }, 0.2],
  // The model chooses: priced as the longest that it makes.
  [{ duration: 'Auto', resolution: '480p' }, 0.4],
])('a quote of %j is %d USD', async (body, price) => {
  const response = await ask('quote', quote, { model: 'reel', ...body }, { authorization: undefined })
  expect(await response.json()).toEqual({ quote: price })
})

test('an id that is unknown, another’s, or no id at all is the same 400', async () => {
  const { queue_id } = await queued()
  const other = await stage.openAccount(1_000_000_000n as Parameters<typeof stage.openAccount>[0])
  const headers = { authorization: `Bearer ${other.secret}` }
  const asks = [
    ask('retrieve', retrieve, { queue_id }, headers),
    ask('complete', complete, { queue_id }, headers),
    ask('retrieve', retrieve, { queue_id: crypto.randomUUID() }),
    ask('retrieve', retrieve, { queue_id: 'x' }),
    ask('retrieve', retrieve, { queue_id, model: 'still' }),
    ask('complete', complete, { queue_id: crypto.randomUUID(), model: 'reel' }),
  ]
  for (const response of await Promise.all(asks)) {
    expect([response.status, (await response.json()).code]).toEqual([400, 'REQUEST_ID_NOT_FOUND'])
  }
  expect((await ask('complete', complete, { queue_id, extra: 1 })).status).toBe(400)
  expect((await ask('retrieve', retrieve, { queue_id, extra: 1 })).status).toBe(200)
})

test('who cannot pay is told so and has nothing queued', async () => {
  const poor = await stage.openAccount(150_000_000n as Parameters<typeof stage.openAccount>[0])
  const response = await ask('queue', queue, ORDER, { authorization: `Bearer ${poor.secret}` })
  expect([response.status, (await response.json()).code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(await database.query('select 1 from job where account_id = $1', [poor.accountId])).toEqual([])
})

test('without credentials: the way to pay, and for a quote none are needed', async () => {
  expect((await ask('queue', queue, ORDER, { authorization: undefined })).status).toBe(402)
  expect((await ask('retrieve', retrieve, { queue_id: 'x' }, { authorization: undefined })).status).toBe(402)
})
