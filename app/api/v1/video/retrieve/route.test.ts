import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST as queue } from '@/app/api/v1/video/queue/route'
import { POST as retrieve } from '@/app/api/v1/video/retrieve/route'
import { usd } from '@/lib/contract/money'
import { videoHandler } from '@/lib/endpoints/video/job'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { sweepJobs } from '@/lib/services/jobs/sweep'
import { endOf } from '@/lib/services/jobs/testing'
import { scriptedProvider, sendBytes, sendJson, VIDEO } from '@/lib/services/jobs/testing-jobs'
import { startWorker, type Worker } from '@/lib/services/jobs/worker'
import { balancesOf } from '@/lib/services/ledger/ledger'

const HOUR_MS = 3_600_000
const provider = await scriptedProvider()
const stage = await chatStage({
  route: { path: 'video/queue', POST: queue, body: { model: 'reel', prompt: 'waves', duration: '4s' } },
  models: [
    {
      type: 'video',
      id: 'reel',
      engine: 'studio',
      price: { perSecond: 0.05 },
      constraints: {
        model_type: 'text-to-video',
        aspect_ratios: [],
        resolutions: [],
        durations: ['4s'],
        audio: false,
        audio_configurable: false,
      },
    },
  ],
  engines: { studio: { kind: 'openai', baseUrls: [provider.url] } },
})
const { database, call } = stage

let worker: Worker | undefined
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})

/** A film that is made, of whoever this key belongs to. */
async function videoOf(
  secret = stage.secret,
): Promise<{ queueId: string; fetch: (more?: object) => Promise<Response> }> {
  provider.answer = ({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, { id: 'vid_1', status: 'queued' })
    return path.endsWith('/content') ? sendBytes(response, VIDEO) : sendJson(response, { status: 'completed' })
  }
  const headers = { authorization: `Bearer ${secret}` }
  const response = await call({}, { headers })
  expect(response.status).toBe(200)
  const { queue_id: queueId } = (await response.json()) as { queue_id: string }
  const handlers = { video: videoHandler({ pace: { minMs: 5, maxMs: 20 } }) }
  worker = startWorker({ database, store: await mediaStore(), handlers })
  await endOf(database, queueId)
  const route = { path: 'video/retrieve', POST: retrieve, body: { model: undefined } }
  return { queueId, fetch: (more = {}) => call({ queue_id: queueId, ...more }, { headers, route }) }
}

test('a film is deleted when it was sent, by the name of wallet clients too', async () => {
  const { fetch } = await videoOf()
  const sent = await fetch({ delete_after_retrieval: true })
  expect([sent.status, Buffer.from(await sent.arrayBuffer())]).toEqual([200, VIDEO])
  // It goes when the last byte has been sent.
  for (let tries = 0; tries < 50 && (await fetch()).status !== 404; tries++) await sleep(20)
  expect(await (await fetch()).json()).toMatchObject({ code: 'MEDIA_NOT_FOUND' })
})

test('whoever has spent the last cent on a film still fetches it: that is free', async () => {
  const { accountId, secret } = await stage.openAccount(usd('0.2'))
  const { fetch } = await videoOf(secret)
  expect((await balancesOf(accountId)).USD).toBe(0n)
  const sent = await fetch()
  expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  expect((await balancesOf(accountId)).USD).toBe(0n)
})

test('a film is kept for a day, and is then not found', async () => {
  const { fetch } = await videoOf()
  await sweepJobs(database, await mediaStore(), Date.now() + 23 * HOUR_MS)
  expect((await fetch()).status).toBe(200)
  await sweepJobs(database, await mediaStore(), Date.now() + 25 * HOUR_MS)
  const gone = await fetch()
  expect([gone.status, (await gone.json()).code]).toEqual([404, 'MEDIA_NOT_FOUND'])
})
