import 'fake-indexeddb/auto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { cancelJob, followJobs, HIDDEN_FOR_LONG_MS, poll } from '@/components/studio/jobs/follow'
import { addGeneration, isUnsaved, loadFile, loadGeneration, newGeneration } from '@/components/studio/store'
import { moneyOf } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import { db } from '@/lib/browser/storage/database'
import type { Generation } from '@/lib/browser/storage/generations'
import { spentOn } from '@/lib/browser/storage/spending'
import { CompleteResponse, ProgressResponse } from '@/lib/contract/jobs.schema'

const VIDEO = 'a film, as far as this test goes'
const PRICE = moneyOf(0.02)
const STEP_MS = 1_000
const realTimeout = setTimeout

type Reply = () => Response | Promise<Response>
/** What the service was asked, as `verb id`, and what it answers each verb. */
let asked: string[] = []
let retrieve: Reply
let complete: Reply
let online = true
const page = Object.assign(new EventTarget(), { hidden: false })

const json = (body: unknown, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const running =
  (ran = 1_000, typical = 8_000) =>
  () =>
    json(ProgressResponse.parse({ status: 'PROCESSING', average_execution_time: typical, execution_duration: ran }))
const video: Reply = () => new Response(VIDEO, { headers: { 'content-type': 'video/mp4' } })
const letGo: Reply = () => json(CompleteResponse.parse({ success: true }))
const refused =
  (status: number, code: string, headers = {}) =>
  () =>
    json({ error: 'No.', code }, status, headers)
const lost: Reply = () => {
  throw new TypeError('fetch failed')
}

const stops: (() => void)[] = []
const ended: Generation[] = []
const tab = () => {
  const stop = followJobs({ onEnd: (generation) => ended.push(generation) })
  stops.push(stop)
  return stop
}

// It is loaded with the first result, in real time.
beforeAll(() => import('@/lib/browser/files/audio'))
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 20, 12) })
  vi.stubGlobal('document', page)
  vi.stubGlobal('navigator', {
    locks: navigator.locks,
    get onLine() {
      return online
    },
  })
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    if (path === '/api/session') return json({ session: { id: 'guest', address: null }, service: {} })
    const { queue_id } = JSON.parse(String(init.body))
    asked.push(`${path.replace('/api/v1/', '')} ${queue_id}`)
    return path.endsWith('/complete') ? complete() : retrieve()
  })
  Object.assign(page, { hidden: false })
  online = true
  asked = []
  ended.length = 0
  retrieve = running()
  complete = letGo
  for (const table of db.tables) await table.clear()
})
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
afterAll(() => vi.resetModules())

/** Lets so much time go by, with whatever the database does meanwhile. */
async function pass(ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += STEP_MS) {
    await vi.advanceTimersByTimeAsync(STEP_MS)
    await new Promise((resolve) => realTimeout(resolve, 1))
    for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lets the given time pass, and then more until it is so: files are read beside the clock, and a busy machine takes longer. */
async function passUntil(isSo: () => Promise<boolean>, ms: number): Promise<void> {
  await pass(ms)
  for (let more = 0; more < 1_000 && !(await isSo()); more++) await pass(STEP_MS)
}

async function queued(id = 'q1'): Promise<string> {
  const generation = newGeneration({
    ...{ kind: 'video', task: 'video', modelId: 'reel', modelName: 'Reel' },
    ...{ prompt: 'waves at dusk', settings: {}, inputs: [] },
  })
  await addGeneration({ ...generation, state: 'waiting', job: { id, price: PRICE, seenAt: Date.now() } })
  return generation.id
}

const state = async (id: string) => (await loadGeneration(id))?.state
const spent = () => spentOn(dayOf(Date.now()))

test('a film is asked after until it is there, kept, and only then let go of', async () => {
  const id = await queued()
  tab()
  await pass(4_000)
  expect(await loadGeneration(id)).toMatchObject({ state: 'running', job: { ranMs: 1_000, typicalMs: 8_000 } })
  expect(await spent()).toBe(0n)
  retrieve = video
  let keptAtFarewell: Generation | undefined
  complete = async () => {
    keptAtFarewell = await loadGeneration(id)
    return letGo()
  }
  await passUntil(async () => ended.length > 0, 12_000)
  expect(keptAtFarewell).toMatchObject({ state: 'done', cost: PRICE })
  const made = await loadGeneration(id)
  expect(made).not.toHaveProperty('job')
  expect(made?.results[0]).toMatchObject({ name: 'waves at dusk', mediaType: 'video/mp4', size: VIDEO.length })
  expect(await (await loadFile(made!.results[0]!))?.text()).toBe(VIDEO)
  expect(asked.filter((one) => one === 'video/complete q1')).toHaveLength(1)
  expect(await spent()).toBe(PRICE)
  expect(ended.map(({ state }) => state)).toEqual(['done'])
})

test('two tabs ask no more often than one, and fetch and let go once', async () => {
  const id = await queued()
  tab()
  await pass(20_000)
  const alone = asked.length
  asked = []
  tab()
  await pass(20_000)
  expect(asked.length).toBeLessThanOrEqual(alone + 2)
  asked = []
  let fetched = 0
  retrieve = () => {
    fetched += 1
    return video() as Response
  }
  await passUntil(async () => (await state(id)) === 'done' && asked.includes('video/complete q1'), 15_000)
  expect(await state(id)).toBe('done')
  expect([fetched, asked.filter((one) => one.startsWith('video/complete'))]).toEqual([1, ['video/complete q1']])
  expect(await spent()).toBe(PRICE)
})

test('a page that was left goes on with the next one, and lets go of what an earlier one had only kept', async () => {
  const id = await queued()
  const leave = tab()
  await pass(3_000)
  leave()
  asked = []
  await pass(30_000)
  expect(asked).toEqual([])
  retrieve = video
  complete = lost
  const leaveAgain = tab()
  await passUntil(async () => (await state(id)) === 'done', 3_000)
  leaveAgain()
  expect(await loadGeneration(id)).toMatchObject({ state: 'done', job: { id: 'q1' } })
  complete = letGo
  asked = []
  tab()
  await passUntil(async () => !('job' in ((await loadGeneration(id)) ?? {})), 3_000)
  expect(asked).toEqual(['video/complete q1'])
  expect(await loadGeneration(id)).not.toHaveProperty('job')
})

test('without an answer it waits twice as long each time; a time that the service names is kept', async () => {
  await queued()
  retrieve = lost
  tab()
  await pass(60_000)
  expect(asked.length).toBeGreaterThanOrEqual(4)
  expect(asked.length).toBeLessThanOrEqual(6)
  retrieve = refused(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '100' })
  await pass(10_000)
  asked = []
  await pass(90_000)
  expect(asked).toEqual([])
})

test('nothing is asked without a connection, and at once when it is back', async () => {
  await queued()
  tab()
  await pass(3_000)
  online = false
  asked = []
  await pass(120_000)
  expect(asked.length).toBeLessThanOrEqual(1)
  online = true
  asked = []
  page.dispatchEvent(new Event('visibilitychange'))
  await pass(500)
  expect(asked).toEqual(['video/retrieve q1'])
})

test('a tab that nobody looks at asks for a while, then no more until it is looked at', async () => {
  await queued()
  tab()
  await pass(3_000)
  page.hidden = true
  page.dispatchEvent(new Event('visibilitychange'))
  asked = []
  await pass(60_000)
  expect(asked.length).toBeGreaterThan(3)
  await pass(HIDDEN_FOR_LONG_MS)
  asked = []
  await pass(120_000)
  expect(asked).toEqual([])
  page.hidden = false
  page.dispatchEvent(new Event('visibilitychange'))
  await pass(500)
  expect(asked).toEqual(['video/retrieve q1'])
})

test.each([
  ['failed', refused(500, 'INFERENCE_FAILED'), 'INFERENCE_FAILED'],
  ['was refused for its content', refused(422, 'CONTENT_POLICY_VIOLATION'), 'CONTENT_POLICY_VIOLATION'],
  ['had something that could not be used', refused(400, 'INVALID_REQUEST'), 'INVALID_REQUEST'],
])('a job that %s has ended, and cost nothing', async (_, reply, code) => {
  const id = await queued()
  retrieve = reply
  tab()
  await pass(5_000)
  expect(await loadGeneration(id)).toMatchObject({ state: 'failed', failure: { code }, cost: 0n })
  expect(await loadGeneration(id)).not.toHaveProperty('job')
  expect(await spent()).toBe(0n)
})

test('a result that waited too long is gone, and is said to be', async () => {
  const id = await queued()
  retrieve = refused(404, 'MEDIA_NOT_FOUND')
  tab()
  await pass(5_000)
  expect(await loadGeneration(id)).toMatchObject({
    state: 'failed',
    failure: { code: 'MEDIA_NOT_FOUND', message: 'No.' },
  })
  expect(asked).toEqual(['video/retrieve q1'])
})

test('a service that is away for a moment is waited for; one that stays away is believed, and can be asked again', async () => {
  const id = await queued()
  retrieve = refused(503, 'SERVICE_UNAVAILABLE')
  tab()
  await pass(20_000)
  expect(await state(id)).toBe('waiting')
  await pass(60_000)
  expect(await loadGeneration(id)).toMatchObject({ state: 'failed', job: { id: 'q1' } })
  retrieve = video
  await poll(id)
  await pass(10_000)
  expect(await state(id)).toBe('done')
})

test('a result for which the browser has no room is held, and stays with the service', async () => {
  const id = await queued()
  retrieve = video
  vi.spyOn(db.blobs, 'put').mockRejectedValue(new DOMException('full', 'QuotaExceededError'))
  tab()
  await passUntil(async () => (await state(id)) === 'done', 5_000)
  const made = await loadGeneration(id)
  expect(made).toMatchObject({ state: 'done', job: { id: 'q1' }, cost: PRICE })
  expect(isUnsaved(made!.results[0]!)).toBe(true)
  expect(await (await loadFile(made!.results[0]!))?.text()).toBe(VIDEO)
  expect(asked.filter((one) => one.startsWith('video/complete'))).toEqual([])
})

test('what is cancelled costs nothing; what was ready by then is kept and paid for', async () => {
  const [early, late] = [await queued('q1'), await queued('q2')]
  expect(await cancelJob(early)).toBe(true)
  expect(await loadGeneration(early)).toMatchObject({ state: 'cancelled', cost: 0n })
  expect(asked).toEqual(['video/retrieve q1', 'video/complete q1'])
  retrieve = video
  asked = []
  expect(await cancelJob(late)).toBe(false)
  expect(await loadGeneration(late)).toMatchObject({ state: 'done', cost: PRICE })
  expect(asked).toEqual(['video/retrieve q2'])
  complete = lost
  const stuck = await queued('q3')
  retrieve = running()
  await expect(cancelJob(stuck)).rejects.toThrow()
  expect(await state(stuck)).toBe('waiting')
})

test('twenty jobs together stay below what the service answers in a minute', async () => {
  for (let n = 0; n < 20; n++) await queued(`q${n}`)
  retrieve = running(7_900)
  tab()
  await pass(60_000)
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.length).toBeLessThan(120)
})
