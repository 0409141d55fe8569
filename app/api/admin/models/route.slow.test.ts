import { mkdtempSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DELETE } from '@/app/api/admin/models/[id]/route'
import { POST as change } from '@/app/api/admin/models/downloads/[id]/route'
import { POST as start } from '@/app/api/admin/models/downloads/route'
import { GET } from '@/app/api/admin/models/route'
import { AdminModels, ModelDownload } from '@/lib/contract/admin-models.schema'
import { testDatabase } from '@/lib/db/testing'
import { eventually } from '@/lib/kernel/testing/time'
import { startHub } from '@/lib/services/engines/embedded/testing/hub'
import { dataDirWith } from '@/lib/services/engines/embedded/testing/install'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { chatEngine, closeEngines } from '@/lib/services/engines/registry'
import { openOperatorSession, operatorLink } from '@/lib/services/identity/operator'
import { setEnvironment, testContext } from '@/lib/services/identity/testing'
import { catalogue, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'

await testDatabase()
const ORIGIN = 'http://localhost:3000'
const MODEL = randomGguf({ name: 'Tiny' })
const dataDir = mkdtempSync(path.join(tmpdir(), 'admin-models-'))
const hub = await startHub(
  { 'tiny/tiny-GGUF': { files: { 'tiny-Q8_0.gguf': MODEL }, license: 'mit' } },
  { pace: { bytes: 3_000, pauseMs: 20 } },
)
const settings = { DATA_DIR: dataDir, HF_ENDPOINT: hub.origin, EMBEDDED_MODELS: 'lean', LOCAL_ENGINES: 'off' }
const before = Object.fromEntries(Object.keys(settings).map((name) => [name, process.env[name] ?? '']))
setEnvironment(settings)
await loadCatalogue()
const token = new URL((await operatorLink()).link).hash.slice('#token='.length)
const { cookie } = await openOperatorSession(testContext(), token)

afterAll(async () => {
  // Other files share this process.
  setEnvironment(before)
  unloadCatalogue()
  await closeEngines()
  await hub.close()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

type Handler = typeof GET

async function call(handler: Handler, method: string, options: { id?: string; body?: object; cookie?: string } = {}) {
  const { id, body, cookie: sent = cookie.split(';')[0]! } = options
  const headers = { origin: ORIGIN, cookie: sent, ...(body && { 'content-type': 'application/json' }) }
  const request = new Request(`${ORIGIN}/api/admin/models`, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
  })
  const response = await handler(request, { params: Promise.resolve(id === undefined ? {} : { id }) })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

const list = async () => AdminModels.parse((await call(GET, 'GET')).json)

test('only the operator sees models and changes them', async () => {
  const strangers = [
    await call(GET, 'GET', { cookie: '' }),
    await call(start, 'POST', { cookie: '', body: { source: 'hf:tiny/tiny-GGUF' } }),
    await call(change, 'POST', { cookie: '', id: '0123456789abcdef', body: { action: 'cancel' } }),
    await call(DELETE, 'DELETE', { cookie: '', id: 'tiny-q8_0' }),
  ]
  for (const { status, json } of strangers) {
    expect(status).toBe(401)
    expect(json.code).toBe('AUTHENTICATION_FAILED')
  }
})

test('suggestions are ordered by how well they run here', async () => {
  const { suggestions, machine, isAvailable, hub: about } = await list()
  expect(isAvailable).toBe(true)
  expect(about).toEqual({ endpoint: hub.origin, hasToken: false })
  expect(machine.memoryBytes).toBeGreaterThan(1_000_000_000)
  expect(suggestions.length).toBeGreaterThanOrEqual(20)
  const order = suggestions.map(({ fits }) => ['well', 'slowly', 'no'].indexOf(fits))
  expect(order).toEqual([...order].sort())
})

test('a model is downloaded, paused, resumed, offered without a restart, and removed', async () => {
  const started = await call(start, 'POST', { body: { source: 'hf:tiny/tiny-GGUF' } })
  expect(started.status).toBe(202)
  const { id } = ModelDownload.parse(started.json.download)
  await eventually(async () => {
    const { downloads } = await list()
    expect(downloads).toMatchObject([{ id, state: 'running', step: 'downloading', total: MODEL.length }])
    expect(downloads[0]!.bytes).toBeGreaterThan(0)
  })
  expect((await call(change, 'POST', { id, body: { action: 'pause' } })).status).toBe(200)
  await eventually(async () => expect((await list()).downloads).toMatchObject([{ id, state: 'paused' }]))
  expect(catalogue().byId.has('tiny-q8_0')).toBe(false)

  expect((await call(change, 'POST', { id, body: { action: 'resume' } })).status).toBe(200)
  await eventually(async () => {
    const { installed, downloads } = await list()
    expect(downloads).toEqual([])
    expect(installed).toMatchObject([
      { id: 'tiny-q8_0', name: 'Tiny', license: 'mit', quantization: 'Q8_0', isVerified: true, isOffered: true },
    ])
  })
  expect(catalogue().byId.get('tiny-q8_0')).toMatchObject({
    engine: 'embedded',
    contextTokens: 512,
    privacy: 'private',
  })
  expect(chatEngine('embedded')).toBeDefined()

  expect((await call(DELETE, 'DELETE', { id: 'tiny-q8_0' })).status).toBe(200)
  expect((await list()).installed).toEqual([])
  expect(catalogue().byId.has('tiny-q8_0')).toBe(false)
  expect((await call(DELETE, 'DELETE', { id: 'tiny-q8_0' })).status).toBe(404)
  expect((await call(change, 'POST', { id, body: { action: 'pause' } })).status).toBe(404)
})

test('a model that is not for chat is listed without a context', async () => {
  const id = 'tiny-embedding'
  const installed = await dataDirWith(id, { 'model.gguf': MODEL }, { facts: { embedding: { dimensions: 64 } } })
  await cp(installed, dataDir, { recursive: true })
  await rm(installed, { recursive: true })
  unloadCatalogue()
  await loadCatalogue()
  const [record] = (await list()).installed
  expect(record).toMatchObject({ id, isOffered: true })
  expect(record).not.toHaveProperty('contextTokens')
  expect((await call(DELETE, 'DELETE', { id })).status).toBe(200)
})

test('a download that fails says why, until it is dismissed', async () => {
  const { json } = await call(start, 'POST', { body: { source: 'hf:tiny/missing-GGUF' } })
  const { id } = ModelDownload.parse(json.download)
  await eventually(async () => {
    const [download] = (await list()).downloads
    expect(download).toMatchObject({
      id,
      state: 'failed',
      message: expect.stringMatching(/There is no model tiny\/missing/),
    })
  })
  expect((await call(change, 'POST', { id, body: { action: 'cancel' } })).json).toEqual({ downloads: [] })
})

test.each(['model', 'ftp://host/a.gguf', 'hf:one', 'hf:a/b:c d', 'https://user:password@host/a.gguf'])(
  'a source such as %s is refused with the forms that are accepted',
  async (source) => {
    const { status, json } = await call(start, 'POST', { body: { source } })
    expect(status).toBe(400)
    expect(json.error).toMatch(/Use hf:OWNER\/REPO/)
  },
)
