import { createKey } from '@/bench/product'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { startPostgres, type TestPostgres } from '@/scripts/postgres'

const METRICS_TOKEN = 'a-token-for-the-metrics'
const REQUESTS = 60
const PLACES = 8
const LIMITS = {
  tiers: { XS: { requestsPerMinute: REQUESTS, tokensPerMinute: 0 } },
  concurrency: { perKey: PLACES },
}
/** A machine that does other things asks for patience; the state itself is what is waited for. */
const PATIENCE_MS = 60_000

let postgres: TestPostgres
let stages: Stage[] = []

test.beforeAll(async () => {
  test.setTimeout(300_000)
  postgres = await startPostgres()
  const variables = { DATABASE_URL: postgres.url, METRICS_TOKEN, SANDBOX: 'off' }
  // Two machines without Redis: one runs two processes.
  for (const workers of ['1', '2']) stages.push(await openStage(LIMITS, { ...variables, WORKERS: workers }))
})
test.afterAll(async () => {
  for (const stage of stages) await stage.stop()
  stages = []
  await postgres?.stop()
})

const newKey = () => createKey(stages[0]!.product, '5')

const chat = (at: number, key: string, body: object, signal?: AbortSignal) =>
  fetch(`${stages[at % stages.length]!.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'say', messages: [{ role: 'user', content: 'Hi' }], ...body }),
    signal,
  })

/** A minute that is about to end would split a count in two. */
async function earlyInAMinute(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < 40_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 100))
}

test('a minute has its requests once, not once a server', async () => {
  test.setTimeout(240_000)
  const key = await newKey()
  let admitted = 0
  // On a machine so busy that the minute ended meanwhile, the count is taken again in the next.
  await expect(async () => {
    await earlyInAMinute()
    const minute = Math.floor(Date.now() / 60_000)
    const statuses: number[] = []
    for (let n = 0; n < REQUESTS + 20; n++) {
      const reply = await chat(n, key, { max_completion_tokens: 1 })
      await reply.arrayBuffer()
      statuses.push(reply.status)
    }
    admitted = statuses.filter((status) => status === 200).length
    expect(Math.floor(Date.now() / 60_000)).toBe(minute)
  }).toPass({ timeout: 200_000 })
  // Blocks that a process took and did not use up are lost to the others for this minute.
  expect(admitted).toBeLessThanOrEqual(REQUESTS)
  expect(admitted).toBeGreaterThan(REQUESTS * 0.8)
})

test('a key has its places once, not once a server', async () => {
  const key = await newKey()
  const leaving = new AbortController()
  const held = await Promise.all(
    Array.from({ length: PLACES * 2 }, (_, n) =>
      chat(n, key, { model: 'slow', stream: true }, leaving.signal).catch(() => undefined),
    ),
  )
  const statuses = held.map((reply) => reply?.status)
  leaving.abort()
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(PLACES)
  expect(statuses).toContain(429)
  await expect(async () => {
    const reply = await chat(1, key, { max_completion_tokens: 1 })
    await reply.arrayBuffer()
    expect(reply.status).toBe(200)
  }).toPass({ timeout: PATIENCE_MS })
})

test('failed requests count over all servers', async () => {
  const key = await newKey()
  let failed = 0
  for (; failed < 60; failed++) {
    const reply = await chat(failed, key, { messages: 'wrong' })
    await reply.arrayBuffer()
    if (reply.status === 429) break
    expect(reply.status).toBe(400)
  }
  expect(failed).toBeGreaterThanOrEqual(21)
  // The report of a failure travels behind its reply: each process may let one more through.
  expect(failed).toBeLessThanOrEqual(24)
})

test('metrics of all workers are added up, whichever is asked', async () => {
  const { product } = stages[1]!
  const scrape = async () => {
    const reply = await fetch(`http://127.0.0.1:${product.port}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}`, connection: 'close' },
    })
    expect(reply.status).toBe(200)
    const text = await reply.text()
    const lines = text.split('\n').filter((line) => line.startsWith('service_requests_total{'))
    const seconds = text.match(/^service_request_seconds_count\{[^}]*chat[^}]*\} (\d+)/m)?.[1]
    return {
      requests: lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0),
      seconds: Number(seconds ?? 0),
    }
  }
  const first = await scrape()
  expect(first.requests).toBeGreaterThan(20)
  expect(first.seconds).toBeGreaterThan(20)
  for (let n = 0; n < 6; n++) expect(await scrape()).toEqual(first)
})
