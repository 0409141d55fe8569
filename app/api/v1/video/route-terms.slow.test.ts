import { afterAll, expect, test } from 'vitest'
import { GET as download, DELETE as revoke } from '@/app/api/downloads/[token]/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST as complete } from '@/app/api/v1/video/complete/route'
import { POST as queue } from '@/app/api/v1/video/queue/route'
import { POST as quote } from '@/app/api/v1/video/quote/route'
import { POST as retrieve } from '@/app/api/v1/video/retrieve/route'
import { CompletedResponse } from '@/lib/contract/jobs.schema'
import { ConsentNeeded, VideoQueueResponse } from '@/lib/contract/video.schema'
import { videoHandler } from '@/lib/endpoints/video/job'
import { MAX_LIVE_JOBS } from '@/lib/services/jobs/job'
import { endOf } from '@/lib/services/jobs/testing'
import { scriptedProvider, sendBytes, sendJson, testWorker, VIDEO } from '@/lib/services/jobs/testing-jobs'
import { dataUrlOf } from '@/lib/services/media/data-url'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { makeWithFfmpeg, testImage } from '@/lib/services/media/testing'

/** What a model's file may ask of a film beside its shape: a confirmation, a price by its references, an address of its own. */

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const encoding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const clip = (seconds: number) => [...testImage('64x64', seconds, 5), ...encoding, 'a.mp4']
const CLIPS = makeWithFfmpeg(clip(1), clip(3), clip(8), clip(16))
const [one, three, eight, sixteen] = CLIPS.map((bytes) => dataUrlOf({ mime: 'video/mp4', bytes })) as [
  string,
  string,
  string,
  string,
]

const provider = await scriptedProvider()
const constraints = {
  model_type: 'video',
  aspect_ratios: [],
  resolutions: [],
  durations: ['4s'],
  audio: false,
  audio_configurable: false,
}
const video = { type: 'video', engine: 'studio', price: { perSecond: 0.05 }, constraints }
const inputNames = { reference_video_urls: 'references', elements: 'elements', reference_image_urls: 'pictures' }
const stage = await chatStage({
  route: { path: 'video/queue', POST: queue, body: {} },
  models: [
    { ...video, id: 'simple' },
    {
      ...video,
      id: 'careful',
      inputNames,
      consent: { flow: 'likeness', version: '2026-07', text: 'Only people who agreed.', url: 'https://terms.example/' },
    },
    { ...video, id: 'follows', inputNames, price: { perSecond: 0.05, perReferenceSecond: 0.02 } },
    { ...video, id: 'linked', hasDownloadUrl: true },
  ],
  engines: { studio: { kind: 'openai', baseUrls: [provider.url] } },
  settings: { EGRESS_ALLOW_ORIGINS: new URL(provider.url).origin },
})
const { database, call, left } = stage
const startWith = testWorker(database)
afterAll(() => ffmpegPool().close())

const ask = (path: string, POST: typeof queue, body: Record<string, unknown>, headers = {}) =>
  call(body, { headers, route: { path: `video/${path}`, POST, body: { model: undefined } } })
const order = (body: Record<string, unknown>) => ask('queue', queue, { prompt: 'waves', duration: '4s', ...body })
const makes = async (): Promise<void> => {
  provider.answer = ({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, { id: 'vid_1', status: 'queued' })
    return path.endsWith('/content') ? sendBytes(response, VIDEO) : sendJson(response, { status: 'completed' })
  }
  await startWith({ video: videoHandler({ pace: { minMs: 5, maxMs: 20 } }) })
}

const CONFIRMED = {
  confirmed_terms_and_privacy: true,
  confirmed_legal_right: true,
  confirmed_screening_acknowledged: true,
}

test('media that may show people need a confirmation first, and nothing else does', async () => {
  const refused = await order({ model: 'careful', image_url: PIXEL, elements: [{ video_url: three }] })
  expect(refused.status).toBe(409)
  expect(ConsentNeeded.parse(await refused.json())).toEqual({
    error: { code: 'needs_consent', message: expect.stringContaining('consents.likeness') },
    consent_flow: 'likeness',
    face_media_roles: ['image', 'reference_video'],
    consent: { consent_version: '2026-07', policy_text: 'Only people who agreed.' },
    docs_url: 'https://terms.example/',
  })
  expect(await left()).toBe(5)
  expect((await order({ model: 'careful' })).status).toBe(200)
  expect((await order({ model: 'simple', image_url: PIXEL })).status).toBe(200)
  const given = await order({ model: 'careful', image_url: PIXEL, consents: { likeness: CONFIRMED } })
  expect(given.status).toBe(200)
})

test.each([
  ['another flow', { other: CONFIRMED }, 409],
  ['half of it', { likeness: { ...CONFIRMED, confirmed_legal_right: undefined } }, 409],
  ['a no', { likeness: { ...CONFIRMED, confirmed_legal_right: false } }, 409],
  ['a word for it', { likeness: { ...CONFIRMED, confirmed_legal_right: 'yes' } }, 400],
  ['no object', 'yes', 400],
  ['hundreds of flows', Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, CONFIRMED])), 400],
])('%s is no confirmation', async (_, consents, status) => {
  expect((await order({ model: 'careful', image_url: PIXEL, consents })).status).toBe(status)
  expect(await left()).toBe(5)
})

const quoteOf = async (body: Record<string, unknown>) => {
  const response = await ask(
    'quote',
    quote,
    { model: 'follows', duration: '4s', ...body },
    { authorization: undefined },
  )
  return ((await response.json()) as { quote: number }).quote
}

test('a quote counts the seconds that are referred to', async () => {
  expect(await quoteOf({})).toBe(0.2)
  expect(await quoteOf({ reference_video_total_duration: 0 })).toBe(0.2)
  expect(await quoteOf({ reference_video_total_duration: 7.5 })).toBe(0.36)
})

test('a film costs what the clips cost that it truly refers to, sent along or by address', async () => {
  const address = `${new URL(provider.url).origin}/clip.mp4`
  await makes()
  const { answer } = provider
  provider.answer = (asked, response) =>
    asked.path === '/clip.mp4' ? sendBytes(response, CLIPS[1]!) : answer(asked, response)
  const response = await order({ model: 'follows', reference_video_urls: [three, address] })
  expect(response.status).toBe(200)
  const { queue_id } = VideoQueueResponse.parse(await response.json())
  expect(await left()).toBeCloseTo(5 - 0.2 - 6 * 0.02, 9)
  await endOf(database, queue_id)
  expect(await stage.linesOf()).toEqual({
    'follows-video-second': [4, 0.2],
    'follows-video-reference-second': [6, 0.12],
  })
})

test.each([
  ['a clip that is too short', () => [three, one], ['reference_video_urls', 1]],
  ['a clip that is too long', () => [sixteen], ['reference_video_urls', 0]],
  ['clips that are too long together', () => [eight, eight], ['reference_video_urls']],
  ['a clip at an address that is not public', () => ['http://10.0.0.1/a.mp4'], ['reference_video_urls', 0]],
  ['a clip that cannot be read', () => [dataUrlOf({ mime: 'video/mp4', bytes: VIDEO })], ['reference_video_urls', 0]],
])('%s: 400 that says which, and nothing is set aside', async (_, clips, path) => {
  const response = await order({ model: 'follows', reference_video_urls: clips() })
  expect(response.status).toBe(400)
  expect((await response.json()).issues[0].path).toEqual(path)
  expect(await left()).toBe(5)
})

const at = (handler: typeof download, url: string, method = 'GET') =>
  handler(new Request(url, { method }), { params: Promise.resolve({ token: url.split('/').at(-1) }) })

test('a film with an address of its own is fetched there by whoever has it, until that is revoked', async () => {
  const ordered = VideoQueueResponse.parse(await (await order({ model: 'linked' })).json())
  const { queue_id, download_url = '' } = ordered
  expect(download_url).toMatch(/^http:\/\/localhost:3000\/api\/downloads\/[0-9a-f-]{36}\.[\w-]{43}$/)
  expect((await at(download, download_url)).status).toBe(404)
  await makes()
  await endOf(database, queue_id)

  const told = await ask('retrieve', retrieve, { queue_id, delete_media_on_completion: true })
  expect(CompletedResponse.parse(await told.json())).toMatchObject({ status: 'COMPLETED', download_url })
  const fetched = await at(download, download_url)
  expect([fetched.status, fetched.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  expect(Buffer.from(await fetched.arrayBuffer())).toEqual(VIDEO)

  expect(await (await at(revoke, download_url, 'DELETE')).json()).toEqual({ success: true })
  for (const [handler, method] of [
    [download, 'GET'],
    [revoke, 'DELETE'],
  ] as const) {
    const gone = await at(handler, download_url, method)
    expect([gone.status, (await gone.json()).code]).toEqual([410, 'DOWNLOAD_EXPIRED'])
  }
  expect((await ask('retrieve', retrieve, { queue_id })).status).toBe(404)
  expect(await left()).toBe(5 - 0.2)
})

test('an address that was changed, or made up, leads nowhere', async () => {
  const { queue_id, download_url = '' } = VideoQueueResponse.parse(await (await order({ model: 'linked' })).json())
  await makes()
  await endOf(database, queue_id)
  const other = crypto.randomUUID()
  const [, signature] = download_url.split('.') as [string, string]
  const token = download_url.split('/').at(-1)!
  for (const made of [
    queue_id,
    `${queue_id}.`,
    `${other}.${signature}`,
    `${queue_id}.${'A'.repeat(43)}`,
    token.toUpperCase(),
    '../../etc/passwd',
  ]) {
    const response = await download(new Request(`http://localhost:3000/api/downloads/x`), {
      params: Promise.resolve({ token: made }),
    })
    expect([made, response.status]).toEqual([made, 404])
  }
  await ask('complete', complete, { queue_id })
  expect((await at(download, download_url)).status).toBe(410)
})

test('where a queue is full the reply says whose it is', async () => {
  const all = await Promise.all(Array.from({ length: MAX_LIVE_JOBS + 1 }, () => order({ model: 'simple' })))
  const full = all.filter(({ status }) => status === 429)
  expect(full).toHaveLength(1)
  expect(full[0]!.headers.get('x-ratelimit-type')).toBe('user')
  expect(full[0]!.headers.get('retry-after')).toBe('10')
  expect(await full[0]!.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(await left()).toBeCloseTo(5 - MAX_LIVE_JOBS * 0.2, 9)
})
