import { afterEach, expect, test } from 'vitest'
import { POST as MODELS } from '@/app/api/admin/providers/models/route'
import { POST as CONNECT } from '@/app/api/admin/providers/route'
import { POST as WORD } from '@/app/api/admin/providers/word/route'
import { POST as SIGN_IN } from '@/app/api/admin/session/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { GET as LIST } from '@/app/api/v1/models/route'
import { POST as queue } from '@/app/api/v1/video/queue/route'
import { POST as quote } from '@/app/api/v1/video/quote/route'
import { POST as retrieve } from '@/app/api/v1/video/retrieve/route'
import { modelsIn } from '@/components/studio/models'
import { videoModel, videoQuoteBody, videoSettings } from '@/components/studio/video/video-model'
import type { NamedModel } from '@/lib/browser/models'
import type { ConnectedProvider, ListReply, ProbeFailure } from '@/lib/contract/providers'
import { videoHandler } from '@/lib/endpoints/video/job'
import { operatorLink } from '@/lib/services/identity/operator'
import { endOf } from '@/lib/services/jobs/testing'
import { scriptedProvider, sendBytes, sendJson, testWorker, VIDEO } from '@/lib/services/jobs/testing-jobs'
import { followConnected } from '@/lib/services/models/catalogue'
import { predictionModel } from '@/lib/services/models/providers/testing/vendors'

/** From an address and a key on the operator's page to a video that a caller has bought, on the true routes. */

const ORIGIN = 'http://localhost:3000'
const KEY = 'sk-video-0123456789'
const films = await scriptedProvider()
const stage = await chatStage({ route: { path: 'video/queue', POST: queue, body: {} } })
await followConnected()
const startWith = testWorker(stage.database)
const token = new URL((await operatorLink()).link).hash.slice('#token='.length)
const signedIn = await admin(SIGN_IN, '/session', { token })
const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!

afterEach(() => stage.database.query('delete from provider'))

async function admin(POST: typeof CONNECT, path: string, body: unknown, headers: Record<string, string> = {}) {
  const request = new Request(`${ORIGIN}/api/admin${path}`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return await POST(request, { params: Promise.resolve({}) })
}
const asOperator = (POST: typeof CONNECT, path: string, body: unknown) =>
  admin(POST, `/providers${path}`, body, { cookie })
const list = async (address: string, key?: string) =>
  (await (await asOperator(MODELS, '/models', { address, key })).json()) as ListReply
const ask = (path: string, POST: typeof queue, body: Record<string, unknown>) =>
  stage.call(body, { route: { path: `video/${path}`, POST, body: { model: undefined } } })

/** A server in both forms, which knows one key. Its first look at a job finds it done. */
function serve(): void {
  films.seen = []
  films.answer = ({ method, path, headers }, response) => {
    if (headers.authorization !== `Bearer ${KEY}`)
      return sendJson(response, { error: { message: 'Incorrect API key provided.' } }, 401)
    if (path === '/models') return sendJson(response, { data: [{ id: 'sora-2' }, { id: 'acme-film-t2v' }] })
    if (path === '/predict/collections/text-to-video') return sendJson(response, { models: [predictionModel()] })
    if (path.includes('lagoon-check')) return sendJson(response, { error: { message: 'Not found' } }, 404)
    if (method === 'POST') return sendJson(response, { id: 'v1', status: 'queued' }, 201)
    if (path === '/videos/v1') return sendJson(response, { id: 'v1', status: 'completed' })
    if (path === '/predict/predictions/v1')
      return sendJson(response, { id: 'v1', status: 'succeeded', output: `${films.url}/file` })
    if (path === '/videos/v1/content' || path === '/file') return sendBytes(response, VIDEO)
    sendJson(response, { detail: 'Not Found' }, 404)
  }
}

/** Connects the first model that the server lists, at a price; returns its id. */
async function connect(address: string, video: object = {}): Promise<string> {
  const listed = (await list(address, KEY)) as Exclude<ListReply, ProbeFailure>
  const [first] = listed.models
  expect(first).toMatchObject({ type: 'video' })
  const server = { address: listed.address, key: KEY, ...(listed.preset && { preset: listed.preset }) }
  const word = { ...server, model: first!.upstreamModel, type: 'video' }
  expect(await (await asOperator(WORD, '/word', word)).json()).toMatchObject({ word: '' })
  const models = [{ ...first, video: { ...first!.video, ...video }, prices: { second: 0.05 } }]
  const added = await asOperator(CONNECT, '', { ...server, name: 'films', models })
  expect(added.status).toBe(201)
  return ((await added.json()) as ConnectedProvider).models[0]!.id
}

/** What the studio's video screen offers. */
async function inStudio(id: string) {
  const reply = await LIST(new Request(`${ORIGIN}/api/v1/models?type=video`), { params: Promise.resolve({}) })
  return modelsIn(await reply.json(), videoModel as (named: NamedModel, spec: object) => ReturnType<typeof videoModel>)
    .filter((model) => model.id === id)
    .at(0)
}

async function buy(id: string, price: number, more: Record<string, unknown> = {}): Promise<Buffer> {
  const body = { ...videoQuoteBody(id, videoSettings((await inStudio(id))!, {})), ...more }
  expect(await (await ask('quote', quote, body)).json()).toEqual({ quote: price })
  const queued = await ask('queue', queue, { ...body, prompt: 'waves at dusk' })
  expect(queued.status).toBe(200)
  const { queue_id } = (await queued.json()) as { queue_id: string }
  await startWith({ video: videoHandler({ pace: { minMs: 5, maxMs: 20 } }) })
  await endOf(stage.database, queue_id)
  expect(await stage.spent()).toBe(price)
  return Buffer.from(await (await ask('retrieve', retrieve, { queue_id })).arrayBuffer())
}

test('a server with the compatible form: listed, priced, in the studio without a restart, and sold', async () => {
  serve()
  const address = films.url
  const listed = (await list(address, KEY)) as Exclude<ListReply, ProbeFailure>
  expect(listed.models).toMatchObject([
    { upstreamModel: 'acme-film-t2v', type: 'video', video: { modelType: 'text-to-video' } },
    { upstreamModel: 'sora-2', type: 'video', video: { seconds: [4, 8, 12] } },
  ])
  const id = await connect(address, { seconds: [5, 10] })
  expect(await inStudio(id)).toMatchObject({ id: 'films/acme-film-t2v', from: 'text', durations: ['5s', '10s'] })
  expect(await buy(id, 0.5, { duration: '10s' })).toEqual(VIDEO)
  expect(films.seen.find(({ method }) => method === 'POST')).toMatchObject({
    path: '/videos',
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: 'acme-film-t2v', prompt: 'waves at dusk', seconds: '10' },
  })
})

test('a server with the predictions form is recognized by its list, which says all that is needed', async () => {
  serve()
  const id = await connect(`${films.url}/predict`)
  expect(await inStudio(id)).toMatchObject({
    from: 'video',
    durations: ['5s', '8s'],
    aspectRatios: ['16:9', '9:16'],
    resolutions: ['720p'],
    canChooseAudio: true,
  })
  expect(await buy(id, 0.25)).toEqual(VIDEO)
  expect(films.seen.find(({ method }) => method === 'POST')).toMatchObject({
    path: '/predict/models/acme/film/predictions',
    body: { input: { prompt: 'waves at dusk', seconds: 5, aspect_ratio: '16:9', resolution: '720p' } },
  })
})

test.each<[string, object, string]>([
  ['no price', { prices: {} }, 'the price of a second of video is missing'],
  ['a price of zero', { prices: { second: 0 } }, 'the price of a second of video is 0'],
  ['a million', { prices: { second: 1e6 } }, 'is above 1000 USD. Enter dollars per second of video.'],
  ['a price that is too fine', { prices: { second: 1e-16 } }, 'finer than money is counted'],
  ['a price without lengths', { video: undefined }, 'the lengths of its videos are missing'],
  ['lengths of no video', { video: { seconds: [0] } }, 'seconds'],
  ['lengths that callers cannot ask for', { video: { seconds: [31] } }, 'seconds'],
])('%s is refused, and nothing is stored', async (_, changes, sentence) => {
  const model = { upstreamModel: 'film', type: 'video', video: { seconds: [5] }, prices: { second: 1 }, ...changes }
  const refused = await asOperator(CONNECT, '', { address: films.url, key: KEY, models: [model] })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(await refused.json())).toContain(sentence)
  expect(await stage.database.query('select 1 from provider')).toEqual([])
})

test('a key that is refused and an address that is no API are told, by the list and by the trial', async () => {
  serve()
  const wrong = { address: films.url, key: 'sk-wrong-key', model: 'film', type: 'video' }
  expect(await list(films.url, wrong.key)).toMatchObject({ fault: 'key-refused' })
  expect(await (await asOperator(WORD, '/word', wrong)).json()).toMatchObject({ fault: 'key-refused' })
  films.answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')
  expect(await list(films.url, KEY)).toMatchObject({ fault: 'not-an-api' })
  expect(await (await asOperator(WORD, '/word', { ...wrong, key: KEY })).json()).toMatchObject({ fault: 'not-an-api' })
})

test('videos of a vendor whose form is not spoken here are not offered', async () => {
  const film = { upstreamModel: 'veo-3', type: 'video', prices: null }
  const refused = await asOperator(CONNECT, '', { preset: 'google', key: KEY, models: [film] })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(await refused.json())).toContain('The videos of Google have a form of their own')
})
