import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUpstreamClient, type UpstreamClient } from '@/lib/services/engines/upstream/http-client'

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
