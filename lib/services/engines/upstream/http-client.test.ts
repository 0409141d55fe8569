import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordOutcome } from '@/lib/kernel/circuit-breaker'
import {
  type Backend,
  createUpstreamClient,
  newBackend,
  pickBackend,
  recordEnd,
  recordStart,
  type UpstreamClient,
} from '@/lib/services/engines/upstream/http-client'

let answer: (response: ServerResponse) => void
let asked = 0
let left = 0
let calls: UpstreamClient
let baseUrls: string[]
const server = createServer(async (request, response) => {
  for await (const _ of request);
  asked++
  response.on('close', () => {
    if (!response.writableFinished) left++
  })
  answer(response)
})
const open = new AbortController().signal
const post = {
  path: '/audio/speech',
  contentType: 'application/json',
  accept: '*/*',
  body: Buffer.from('{}'),
  maxReplyBytes: 1_000,
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  baseUrls = [`http://127.0.0.1:${port}/v1`]
  const timeouts = { connectMs: 500, firstTokenMs: 200, idleMs: 100 }
  calls = createUpstreamClient({ name: 'house', baseUrls, timeouts, maxInFlight: 2, apiKey: 'house-secret-key' })
})
afterAll(async () => {
  await calls.close()
  server.close()
})

function ask(reply: typeof answer, signal = open) {
  answer = reply
  asked = 0
  left = 0
  return calls.post(post, signal)
}

test('what fails before its first byte is tried again, and what comes is whole', async () => {
  const reply = await ask((response) => {
    if (asked < 3) response.writeHead(503).end()
    else response.end('sound')
  })
  expect([reply.toString(), asked]).toEqual(['sound', 3])
})

test('what breaks off after its first byte is not tried again', async () => {
  const broken = ask((response) => {
    response.write('so')
    setTimeout(() => response.destroy(), 20)
  })
  await expect(broken).rejects.toMatchObject({ reason: 'failed' })
  expect(asked).toBe(1)
})

test('silence ends a call, before the first byte and after it', async () => {
  await expect(ask(() => {})).rejects.toMatchObject({ reason: 'timeout' })
  await expect(ask((response) => void response.write('so'))).rejects.toMatchObject({ reason: 'timeout' })
})

test('a reply that is too long, or empty, is none', async () => {
  await expect(ask((response) => void response.end(Buffer.alloc(2_000)))).rejects.toMatchObject({ reason: 'failed' })
  await expect(ask((response) => void response.end())).rejects.toMatchObject({ reason: 'failed' })
})

test('a refusal says why, without the operator’s key and address', async () => {
  const said = { error: { message: `no voice alloy for house-secret-key at ${baseUrls[0]}` } }
  const error = await ask((response) => void response.writeHead(400).end(JSON.stringify(said))).catch((one) => one)
  expect(error).toMatchObject({ reason: 'invalid-request', message: expect.stringContaining('no voice alloy') })
  expect(error.message).not.toContain('house-secret-key')
  expect(error.message).not.toContain(new URL(baseUrls[0]!).host)
  expect(asked).toBe(1)
})

test('one call too many is told so at once, and one that nobody wants ends upstream', async () => {
  const leaving = new AbortController()
  const first = ask(() => {}, leaving.signal)
  const second = calls.post(post, leaving.signal)
  await expect(calls.post(post, open)).rejects.toMatchObject({ reason: 'at-capacity' })
  while (asked < 2) await sleep(5)
  leaving.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await expect(second).rejects.toThrow('gone')
  while (left < 2) await sleep(5)
  expect((await ask((response) => void response.end('on we go'))).toString()).toBe('on we go')
})

const three = () => ['a', 'b', 'c'].map((name) => newBackend(`http://${name}`))
const NOBODY: ReadonlySet<Backend> = new Set()
const pick = (backends: Backend[], more: { cacheKey?: string; tried?: ReadonlySet<Backend>; now?: number } = {}) =>
  pickBackend(backends, { tried: NOBODY, now: 0, ...more })

const fail = (backend: Backend, times: number, now = 0) => {
  for (let time = 0; time < times; time++) recordOutcome(backend, 'failed', now)
}

test('the least loaded serves', () => {
  const backends = three()
  backends[0]!.inFlight = 2
  backends[1]!.inFlight = 1
  backends[2]!.inFlight = 3
  expect(pick(backends)).toBe(backends[1])
})

test('one that was tried is passed over while there is another', () => {
  const backends = three().slice(0, 2)
  expect(pick(backends, { tried: new Set([backends[0]!]) })).toBe(backends[1])
  expect(backends).toContain(pick(backends, { tried: new Set(backends) }))
})

test('a cache key stays with its base URL when another goes away', () => {
  const backends = three()
  const keys = Array.from({ length: 60 }, (_, index) => `account:${index}`)
  const homes = keys.map((cacheKey) => pick(backends, { cacheKey }))
  for (const backend of backends) expect(homes.filter((home) => home === backend).length).toBeGreaterThan(8)
  const gone = backends[0]!
  fail(gone, 3)
  for (const [index, cacheKey] of keys.entries()) {
    const home = pick(backends, { cacheKey })
    if (homes[index] === gone) expect(home).not.toBe(gone)
    else expect(home).toBe(homes[index])
  }
})

test('a cache key leaves a base URL that is far more loaded than the others', () => {
  const backends = three()
  const home = pick(backends, { cacheKey: 'k' })
  home.inFlight = 8
  expect(pick(backends, { cacheKey: 'k' })).toBe(home)
  home.inFlight = 9
  expect(pick(backends, { cacheKey: 'k' })).not.toBe(home)
})

test('three failures in a row rest a base URL; two do not', () => {
  const [one, two] = three() as [Backend, Backend]
  two.inFlight = 5
  fail(one, 2)
  recordOutcome(one, 'answered', 0)
  fail(one, 2)
  expect(pick([one, two])).toBe(one)
  fail(one, 1)
  expect(pick([one, two])).toBe(two)
})

test('after its rest a single request tries it, and its outcome decides', () => {
  const [one, two] = three() as [Backend, Backend]
  two.inFlight = 5
  fail(one, 3)
  expect(pick([one, two], { now: 2_000 })).toBe(one)
  recordStart(one)
  expect(pick([one, two], { now: 2_000 })).toBe(two)
  recordEnd(one)
  recordOutcome(one, 'failed', 2_000)
  // The second rest is twice as long.
  expect(pick([one, two], { now: 3_400 })).toBe(two)
  expect(pick([one, two], { now: 5_000 })).toBe(one)
  recordOutcome(one, 'answered', 5_000)
  recordStart(one)
  expect(pick([one, two], { now: 5_000 })).toBe(one)
})

test('a probe whose caller left does not block the next one', () => {
  const [one, two] = three() as [Backend, Backend]
  two.inFlight = 5
  fail(one, 3)
  recordStart(one)
  recordEnd(one)
  recordOutcome(one, 'unknown', 2_000)
  expect(pick([one, two], { now: 2_000 })).toBe(one)
})

test('when all rest, all count', () => {
  const backends = three()
  for (const backend of backends) fail(backend, 10)
  expect(backends).toContain(pick(backends))
})
