import 'fake-indexeddb/auto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { POST as completeSound } from '@/app/api/v1/audio/complete/route'
import { POST as queueSound } from '@/app/api/v1/audio/queue/route'
import { POST as quoteSound } from '@/app/api/v1/audio/quote/route'
import { POST as retrieveSound } from '@/app/api/v1/audio/retrieve/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST as complete } from '@/app/api/v1/video/complete/route'
import { POST as queue } from '@/app/api/v1/video/queue/route'
import { POST as quote } from '@/app/api/v1/video/quote/route'
import { POST as retrieve } from '@/app/api/v1/video/retrieve/route'
import { completeJob, type JobArea, queueJob, quoteJob } from '@/components/studio/jobs/api'
import { cancelJob, followJobs } from '@/components/studio/jobs/follow'
import { addGeneration, loadFile, loadGeneration, newGeneration } from '@/components/studio/store'
import { videoBody, videoQuoteBody } from '@/components/studio/video/video-model'
import { db } from '@/lib/browser/storage/database'
import type { CreationDraft } from '@/lib/browser/storage/generations'
import { audioHandler } from '@/lib/endpoints/audio/music'
import { videoHandler } from '@/lib/endpoints/video/job'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { endOf } from '@/lib/services/jobs/testing'
import { scriptedProvider, sendBytes, sendJson, VIDEO } from '@/lib/services/jobs/testing-jobs'
import { startWorker, type Worker } from '@/lib/services/jobs/worker'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { writeWav } from '@/lib/services/media/wav'

/** The page's side of the queue on the true routes, down to a provider. */

const PRICE = 200_000_000n
const MAX_LOOKS = 400
const SONG = Buffer.from(writeWav(new Float32Array(2_000), 16_000))
const provider = await scriptedProvider()
const constraints = {
  ...{ model_type: 'text-to-video', aspect_ratios: ['16:9'], resolutions: ['480p'], durations: ['4s'] },
  ...{ audio: false, audio_configurable: false },
}
const stage = await chatStage({
  route: { path: 'video/queue', POST: queue, body: {} },
  models: [
    { type: 'video', engine: 'predictor', id: 'reel', constraints, price: { perSecond: 0.05 } },
    { type: 'music', engine: 'predictor', id: 'melody', pricing: { generation: { usd: 0.2 } } },
  ],
  engines: { predictor: { kind: 'openai', baseUrls: [provider.url], jobStyle: 'predictions' } },
})

const ROUTES: Record<string, typeof queue> = {
  ...{ 'video/quote': quote, 'video/queue': queue, 'video/retrieve': retrieve, 'video/complete': complete },
  ...{ 'audio/quote': quoteSound, 'audio/queue': queueSound },
  ...{ 'audio/retrieve': retrieveSound, 'audio/complete': completeSound },
}
const passOn = globalThis.fetch
let worker: Worker | undefined
let stopFollowing = () => {}

beforeEach(async () => {
  vi.stubGlobal('fetch', async (url: string | Request, init: RequestInit = {}) => {
    const path = String(url).replace(/^\/api\/v1\//, '')
    if (url === '/api/session') return Response.json({ session: { id: 'guest', address: null }, service: {} })
    const POST = ROUTES[path]
    if (!POST) return await passOn(url, init)
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${stage.secret}` }
    return await POST(new Request(`http://localhost:3000/api/v1/${path}`, { ...init, headers }), {
      params: Promise.resolve({}),
    })
  })
  for (const table of db.tables) await table.clear()
})
afterEach(async () => {
  stopFollowing()
  await worker?.stop()
  worker = undefined
  vi.unstubAllGlobals()
})
afterAll(() => vi.resetModules())

async function work(): Promise<void> {
  const pace = { minMs: 5, maxMs: 20 }
  const handlers = { music: audioHandler({ pace }), video: videoHandler({ pace }) }
  worker = startWorker({ database: stage.database, store: await mediaStore(), handlers })
}

function provide(file: Uint8Array, outcome: 'succeeded' | 'failed' = 'succeeded'): void {
  provider.answer = ({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, { id: 'p1', status: 'starting' })
    if (path === '/file') return sendBytes(response, file)
    return sendJson(response, { status: outcome, output: `${provider.url}/file` })
  }
}

const DRAFTS: Record<JobArea, CreationDraft> = {
  video: {
    ...{ kind: 'video', task: 'video', modelId: 'reel', modelName: 'Reel', prompt: 'waves at dusk', inputs: [] },
    settings: { duration: '4s', aspectRatio: '16:9', resolution: '480p' },
  },
  audio: {
    ...{ kind: 'audio', task: 'music', modelId: 'melody', modelName: 'Melody', prompt: 'a slow tide, strings' },
    ...{ settings: {}, inputs: [] },
  },
}

/** As the page does it, but for what asks a person. */
async function order(area: JobArea): Promise<string> {
  const draft = DRAFTS[area]
  const { modelId, prompt, settings } = draft
  const signal = AbortSignal.timeout(10_000)
  const asked = area === 'video' ? videoQuoteBody(modelId, settings) : { model: modelId }
  const price = await quoteJob(area, asked, signal)
  expect(price).toBe(PRICE)
  const body = area === 'video' ? videoBody(draft, []) : { model: modelId, prompt }
  const id = await queueJob(area, body, {})
  const generation = newGeneration(draft)
  await addGeneration({ ...generation, state: 'waiting', job: { id, price, seenAt: Date.now() } })
  return generation.id
}

async function until(id: string, isReached: (found: Awaited<ReturnType<typeof loadGeneration>>) => boolean) {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = await loadGeneration(id)
    if (isReached(found)) return found
    await sleep(50)
  }
  throw new Error('it was never reached')
}

const left = async () => (await balancesOf(stage.accountId)).USD

test.each([
  ['video', VIDEO, 'video/mp4'],
  ['audio', SONG, 'audio/wav'],
] as const)('%s: quoted, queued, followed, kept here, and gone there', async (area, file, type) => {
  provide(file)
  const before = await left()
  const id = await order(area)
  expect(before - (await left())).toBe(PRICE)
  await work()
  stopFollowing = followJobs()
  const made = await until(id, (found) => found?.state === 'done' && found.job === undefined)
  expect(made).toMatchObject({ cost: PRICE, results: [{ mediaType: type, size: file.length }] })
  expect(Buffer.from(await (await loadFile(made!.results[0]!))!.arrayBuffer())).toEqual(Buffer.from(file))
  expect(before - (await left())).toBe(PRICE)
  const rows = await stage.database.query('select 1 from job where media_id is not null')
  expect(rows).toEqual([])
})

test('a job that fails at its provider is said to have failed, and costs nothing', async () => {
  provide(VIDEO, 'failed')
  const before = await left()
  const id = await order('video')
  await work()
  stopFollowing = followJobs()
  expect(await until(id, (found) => found?.state === 'failed' && found.cost !== undefined)).toMatchObject({
    cost: 0n,
    failure: { code: 'INFERENCE_FAILED', message: expect.stringContaining('Nothing was charged') },
  })
  expect(await left()).toBe(before)
})

test('a job that waits is cancelled, and its money comes back; ending it again does nothing', async () => {
  const before = await left()
  const id = await order('video')
  const queueId = (await loadGeneration(id))?.job?.id ?? ''
  expect(await cancelJob(id)).toBe(true)
  expect(await loadGeneration(id)).toMatchObject({ state: 'cancelled', cost: 0n })
  expect(await left()).toBe(before)
  const key = { area: 'video', model: 'reel', queueId } as const
  expect(await completeJob(key, AbortSignal.timeout(10_000))).toBe(true)
})

test('a result that was fetched by another browser and deleted is said to be gone', async () => {
  provide(VIDEO)
  const id = await order('video')
  const queueId = (await loadGeneration(id))?.job?.id ?? ''
  await work()
  await endOf(stage.database, queueId)
  expect(await completeJob({ area: 'video', model: 'reel', queueId }, AbortSignal.timeout(10_000))).toBe(true)
  stopFollowing = followJobs()
  const gone = await until(id, (found) => found?.state === 'failed')
  expect(gone).toMatchObject({ failure: { code: 'MEDIA_NOT_FOUND' }, results: [] })
  expect(gone).not.toHaveProperty('job')
})
