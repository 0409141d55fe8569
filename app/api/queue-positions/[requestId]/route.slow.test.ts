import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { GET } from '@/app/api/queue-positions/[requestId]/route'
import { POST as openSession } from '@/app/api/session/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { newId } from '@/lib/contract/ids'
import { testWallet } from '@/lib/pipeline/testing'
import { writeRandomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { embeddedChatEngine } from '@/lib/services/engines/registry'

/** The chat route in front of a model that runs here, with its own queue and its own process. */

const ORIGIN = 'http://localhost:3000'
const PATIENT = { timeout: 10_000 }
const folder = await mkdtemp(path.join(tmpdir(), 'queue-positions-'))
const modelPath = path.join(folder, 'model.gguf')
await writeRandomGguf(modelPath)
const stage = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', EMBEDDED_GPU: 'off' },
  models: [{ id: 'tiny', type: 'text', engine: 'embedded', contextTokens: 512 }],
})
embeddedChatEngine()!.setInstalled([
  {
    name: 'tiny',
    version: '1',
    weightBytes: 400_000,
    neededBytes: 1_000,
    modelPath,
    loadDeadlineMs: 60_000,
    options: {
      contextTokens: 512,
      sequences: 1,
      threads: 1,
      defaults: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1 },
      turnMarks: [],
    },
  },
])
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }))

async function browser(): Promise<string> {
  const headers = { origin: ORIGIN, ...(await testWallet().signIn()) }
  const request = new Request(`${ORIGIN}/api/session`, { method: 'POST', headers })
  const opened = await openSession(request, { params: Promise.resolve({}) })
  return opened.headers.get('set-cookie')!.split(';')[0]!
}

const ask = (requestId: string, cookie: string) =>
  GET(new Request(`${ORIGIN}/api/queue-positions/${requestId}`, { headers: { origin: ORIGIN, cookie } }), {
    params: Promise.resolve({ requestId }),
  })
const positionOf = async (requestId: string, cookie: string) =>
  ((await (await ask(requestId, cookie)).json()) as { position: number | null }).position

const fromPage = (cookie: string, requestId: string, signal?: AbortSignal) =>
  stage.call(
    { model: 'tiny', max_tokens: 3, stream: true },
    {
      headers: { authorization: undefined, origin: ORIGIN, cookie, 'x-service-request-name': requestId },
      ...(signal && { signal }),
    },
  )

test('requests for a model that is busy learn their positions, which move up, and are answered', async () => {
  const busy = await stage.call({ model: 'tiny', max_tokens: 400, stream: true })
  expect(busy.status).toBe(200)
  const [cookie, other] = [await browser(), await browser()]
  const [first, second] = [newId('chatcmpl'), newId('chatcmpl')]
  const leaving = new AbortController()
  const left = fromPage(cookie, first, leaving.signal).catch(() => undefined)
  await vi.waitFor(async () => expect(await positionOf(first, cookie)).toBe(1), PATIENT)
  const answer = fromPage(cookie, second)
  await vi.waitFor(async () => expect(await positionOf(second, cookie)).toBe(2), PATIENT)
  expect(await positionOf(first, other), 'another account').toBeNull()

  leaving.abort(new Error('gone'))
  await left
  await vi.waitFor(async () => expect(await positionOf(second, cookie)).toBe(1), PATIENT)
  expect(await positionOf(first, cookie)).toBeNull()

  await busy.body!.cancel()
  const response = await answer
  expect(await response.text()).toMatch(/^data: \{.*\n\ndata: \[DONE\]\n\n$/s)
  expect(await positionOf(second, cookie)).toBeNull()
})

test('only the web app asks, and only for ids', async () => {
  expect((await ask(newId('chatcmpl'), '')).status).toBe(401)
  expect((await ask('no id!', await browser())).status).toBe(400)
})
