import { expect, test } from 'vitest'
import { POST as complete } from '@/app/api/v1/audio/complete/route'
import { POST as queue } from '@/app/api/v1/audio/queue/route'
import { POST as quote } from '@/app/api/v1/audio/quote/route'
import { POST as retrieve } from '@/app/api/v1/audio/retrieve/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { AudioQueueResponse } from '@/lib/contract/audio.schema'
import { audioHandler } from '@/lib/endpoints/audio/music'
import { endOf } from '@/lib/services/jobs/testing'
import { scriptedProvider, sendBytes, sendJson, testWorker } from '@/lib/services/jobs/testing-jobs'
import { writeWav } from '@/lib/services/media/wav'

const SONG = Buffer.from(writeWav(new Float32Array(2_000), 16_000))
const provider = await scriptedProvider()
const music = { type: 'music', engine: 'band' }
const stage = await chatStage({
  route: { path: 'audio/queue', POST: queue, body: {} },
  models: [
    {
      ...music,
      id: 'melody',
      upstreamModel: 'their/melody',
      supports_lyrics: true,
      supports_lyrics_optimizer: true,
      lyrics_character_limit: 50,
      supports_force_instrumental: true,
      min_duration: 10,
      max_duration: 60,
      default_duration: 30,
      inputNames: { duration_seconds: 'seconds' },
      pricing: { per_second: { usd: 0.01 } },
    },
    {
      ...music,
      id: 'reader',
      voices: ['Ada', 'Ben'],
      default_voice: 'Ada',
      supports_speed: true,
      max_speed: 2,
      supports_language_code: true,
      min_prompt_length: 1,
      pricing: { per_thousand_characters: { usd: 0.015 } },
    },
    { ...music, id: 'singer', supports_lyrics: true, lyrics_required: true, pricing: { generation: { usd: 0.25 } } },
    {
      ...music,
      id: 'stepped',
      duration_options: [10, 30],
      pricing: {
        durations: {
          '10': { usd: 0.1, min_seconds: 1, max_seconds: 10 },
          '30': { usd: 0.2, min_seconds: 11, max_seconds: 30 },
        },
      },
    },
  ],
  engines: { band: { kind: 'openai', baseUrls: [provider.url], jobStyle: 'predictions' } },
})
const { database, call, left } = stage
const startWith = testWorker(database)

const ask = (path: string, POST: typeof queue, body: Record<string, unknown>, headers = {}) =>
  call(body, { headers, route: { path: `audio/${path}`, POST, body: { model: undefined } } })
const quoted = (body: Record<string, unknown>) => ask('quote', quote, body, { authorization: undefined })
const ORDER = { model: 'melody', prompt: 'a slow tide, strings' }

const work = () => startWith({ music: audioHandler({ pace: { minMs: 5, maxMs: 20 } }) })

function play(file: Uint8Array = SONG): void {
  provider.seen = []
  provider.answer = ({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, { id: 'p1', status: 'starting' })
    if (path === '/song') return sendBytes(response, file)
    return sendJson(response, { status: 'succeeded', output: `${provider.url}/song` })
  }
}

test('a song is queued, made, fetched and completed, and costs what was quoted', async () => {
  play()
  expect(await (await quoted({ model: 'melody', duration_seconds: '20' })).json()).toEqual({ quote: 0.2 })
  const body = { ...ORDER, duration_seconds: 20, lyrics_prompt: 'the sea', force_instrumental: false }
  const response = await ask('queue', queue, body)
  const { queue_id, ...rest } = AudioQueueResponse.parse(await response.json())
  expect([response.status, rest]).toEqual([200, { model: 'melody', status: 'QUEUED' }])
  expect(await left()).toBe(4.8)
  expect(await (await ask('retrieve', retrieve, { model: 'melody', queue_id })).json()).toMatchObject({
    status: 'PROCESSING',
  })
  await work()
  await endOf(database, queue_id)
  expect(provider.seen[0]).toMatchObject({
    path: '/models/their/melody/predictions',
    body: { input: { prompt: ORDER.prompt, lyrics_prompt: 'the sea', seconds: 20, force_instrumental: false } },
  })
  const done = await ask('retrieve', retrieve, { model: 'melody', queue_id })
  expect(Object.fromEntries(done.headers)).toMatchObject({
    'content-type': 'audio/wav',
    'x-service-audio-format': 'wav',
    'x-service-inference-time': expect.stringMatching(/^\d+$/),
  })
  expect(Buffer.from(await done.arrayBuffer())).toEqual(SONG)
  expect(await (await ask('complete', complete, { model: 'melody', queue_id })).json()).toEqual({ success: true })
  expect((await ask('retrieve', retrieve, { model: 'melody', queue_id })).status).toBe(404)
  expect(await stage.linesOf()).toEqual({ 'melody-music-second': [20, 0.2] })
})

test('what is no sound is a failure, and free', async () => {
  play(Buffer.from('{"error":"sold out"}'))
  const { queue_id } = await (await ask('queue', queue, ORDER)).json()
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'failed' })
  const response = await ask('retrieve', retrieve, { queue_id })
  expect([response.status, (await response.json()).code]).toEqual([500, 'INFERENCE_FAILED'])
  expect(await left()).toBe(5)
})

test('what a provider refuses to make is 422 when it is asked for, and free', async () => {
  provider.answer = ({ method }, response) =>
    method === 'POST'
      ? sendJson(response, { id: 'p1', status: 'starting' })
      : sendJson(response, { status: 'failed', error: { code: 'content_policy_violation', message: 'no' } })
  const { queue_id } = await (await ask('queue', queue, ORDER)).json()
  await work()
  expect(await endOf(database, queue_id)).toMatchObject({ state: 'failed' })
  const response = await ask('retrieve', retrieve, { queue_id })
  expect([response.status, await response.json()]).toEqual([
    422,
    { error: expect.stringContaining('Nothing was charged.'), code: 'CONTENT_POLICY_VIOLATION' },
  ])
  expect(await left()).toBe(5)
})

test.each([
  [{ model: 'melody' }, 0.3],
  [{ model: 'reader', character_count: 1_500 }, 0.0225],
  [{ model: 'singer' }, 0.25],
  [{ model: 'stepped', duration_seconds: 10 }, 0.1],
  [{ model: 'stepped', duration_seconds: 30 }, 0.2],
])('a quote of %j is %d USD', async (body, price) => {
  const response = await quoted(body)
  expect([response.status, await response.json()]).toEqual([200, { quote: price }])
})

test.each([
  ['no model', {}, 'model'],
  ['a length that is none', { model: 'melody', duration_seconds: 0 }, 'duration_seconds'],
  ['a length in words', { model: 'melody', duration_seconds: 'long' }, 'duration_seconds'],
  ['a length where there is none', { model: 'singer', duration_seconds: 10 }, 'duration_seconds'],
  ['no count where the price needs one', { model: 'reader' }, 'character_count'],
  ['no length where the price needs one', { model: 'stepped' }, 'duration_seconds'],
  ['a length that is not sold', { model: 'stepped', duration_seconds: 31 }, 'duration_seconds'],
  ['a length that is too long to be queued', { model: 'melody', duration_seconds: 90 }, 'duration_seconds'],
  ['a length that is not among the options', { model: 'stepped', duration_seconds: 12 }, 'duration_seconds'],
  ['a longer text than the model takes', { model: 'reader', character_count: 10_001 }, 'character_count'],
])('quote, %s: 400 that says where', async (_, body, field) => {
  const response = await quoted(body)
  expect(response.status).toBe(400)
  expect(Object.keys((await response.json()).details)).toContain(field)
})

test.each([
  ['no prompt', { prompt: undefined }, 'prompt'],
  ['too short a prompt', { prompt: 'tide' }, 'prompt'],
  ['too short a length', { duration_seconds: 9 }, 'duration_seconds'],
  ['too long a length', { duration_seconds: '61' }, 'duration_seconds'],
  ['a length that is not among the options', { model: 'stepped', duration_seconds: 12 }, 'duration_seconds'],
  ['too long lyrics', { lyrics_prompt: 'x'.repeat(51) }, 'lyrics_prompt'],
  ['lyrics and their optimizer', { lyrics_prompt: 'sea', lyrics_optimizer: true }, 'lyrics_prompt'],
  ['no lyrics where they are needed', { model: 'singer' }, 'lyrics_prompt'],
  ['lyrics where there are none', { model: 'reader', lyrics_prompt: 'sea' }, 'lyrics_prompt'],
  ['an optimizer where there is none', { model: 'singer', lyrics_optimizer: true }, 'lyrics_optimizer'],
  ['a switch that the model has not', { model: 'reader', force_instrumental: true }, 'force_instrumental'],
  ['a loop that the model has not', { loop: true }, 'loop'],
  ['a voice of another model', { model: 'reader', voice: 'Cleo' }, 'voice'],
  ['a voice where there are none', { voice: 'Ada' }, 'voice'],
  ['a language where there is none', { language_code: 'en' }, 'language_code'],
  ['a language that is none', { model: 'reader', language_code: 'english' }, 'language_code'],
  ['too fast', { model: 'reader', speed: 2.5 }, 'speed'],
  ['a speed where there is none', { speed: 1 }, 'speed'],
])('queue, %s: 400 that says where, and nothing is queued', async (_, body, field) => {
  const response = await ask('queue', queue, { ...ORDER, ...body })
  expect(response.status).toBe(400)
  const { code, details } = await response.json()
  expect([code, Object.keys(details)]).toEqual(['INVALID_REQUEST', expect.arrayContaining([field])])
  expect(await left()).toBe(5)
})

test('an unknown field is refused by name, in both closed bodies', async () => {
  const asks = [ask('queue', queue, { ...ORDER, tempo: 2 }), quoted({ model: 'melody', tempo: 2 })]
  for (const response of await Promise.all(asks)) {
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('tempo')
  }
})

test('an id of another’s, or of a film, is unknown', async () => {
  const { queue_id } = await (await ask('queue', queue, ORDER)).json()
  const other = await stage.openAccount(1_000_000_000n as Parameters<typeof stage.openAccount>[0])
  const headers = { authorization: `Bearer ${other.secret}` }
  expect(await (await ask('retrieve', retrieve, { queue_id }, headers)).json()).toMatchObject({
    code: 'REQUEST_ID_NOT_FOUND',
  })
  await database.query(`update job set kind = 'video' where id = $1`, [queue_id])
  expect((await ask('retrieve', retrieve, { queue_id })).status).toBe(400)
})
