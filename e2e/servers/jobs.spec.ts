import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { removeFolder } from '@/scripts/tools/temp-folder'

const FILM = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from('ftypisom\0\0\0\0isommp42'),
  Buffer.alloc(2_000_000, 7),
])
const PRICE_USD = 0.2
const LOOKS = 100

/** A provider of films that are ready when the test says so. */
const provider = { begun: 0, isReady: false }
let server: Server
let folder: string
let stage: Stage

test.beforeAll(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request);
    if (request.method === 'POST') {
      provider.begun++
      return json(response, { id: `film-${provider.begun}`, status: 'queued' })
    }
    if (request.url?.endsWith('/content')) return void response.end(FILM)
    return json(response, { status: provider.isReady ? 'completed' : 'in_progress' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`]
  folder = await mkdtemp(path.join(tmpdir(), 'lagoon-jobs-'))
  const file = path.join(folder, 'models.json')
  const constraints = {
    model_type: 'text-to-video',
    aspect_ratios: [],
    resolutions: [],
    durations: ['4s'],
    audio: false,
    audio_configurable: false,
  }
  const reel = { type: 'video', id: 'reel', engine: 'studio', constraints, price: { perSecond: 0.05 } }
  await writeFile(file, JSON.stringify({ engines: { studio: { kind: 'openai', baseUrls } }, models: [reel] }))
  stage = await openStage({}, { MODELS_FILE: file })
})
test.afterAll(async () => {
  await stage?.stop()
  server.closeAllConnections()
  server.close()
  await removeFolder(folder)
})

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

async function post(key: string, action: string, body: object): Promise<Response> {
  return fetch(`${stage.baseUrl}/video/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Until `retrieve` answers something else than that it works. */
async function fetched(key: string, queueId: string): Promise<Response> {
  for (let look = 0; look < LOOKS; look++) {
    const response = await post(key, 'retrieve', { queue_id: queueId })
    if (response.status !== 200 || response.headers.get('content-type') !== 'application/json') return response
    await sleep(200)
  }
  throw new Error('the job did not end')
}

test('a film whose server is killed in the middle is made once, paid once, and there after the restart', async () => {
  test.setTimeout(60_000)
  const key = await stage.newKey()
  const { queue_id } = await (await post(key, 'queue', { model: 'reel', prompt: 'waves', duration: '4s' })).json()
  await expect.poll(() => provider.begun).toBe(1)
  // The provider's id is noted before the first look.
  await sleep(1_500)
  await stage.kill()
  provider.isReady = true
  await stage.start()

  const film = await fetched(key, queue_id)
  expect([film.status, film.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  expect(film.headers.get('content-length')).toBe(String(FILM.length))
  expect(Buffer.from(await film.arrayBuffer()).equals(FILM)).toBe(true)
  expect(provider.begun).toBe(1)
  // The balance before a request, in its own header.
  const done = await post(key, 'complete', { model: 'reel', queue_id })
  expect(await done.json()).toEqual({ success: true })
  expect(Number(done.headers.get('x-service-balance-usd'))).toBeCloseTo(5 - PRICE_USD, 9)
  const gone = await post(key, 'retrieve', { queue_id })
  expect([gone.status, (await gone.json()).code]).toEqual([404, 'MEDIA_NOT_FOUND'])
})
