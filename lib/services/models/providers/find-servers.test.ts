import { afterAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { closeEngines } from '@/lib/services/engines/registry'
import { setEnvironment } from '@/lib/services/identity/testing'
import { discoverLocalEngines, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'
import { connectProvider } from '@/lib/services/models/providers/connect'
import { findServers } from '@/lib/services/models/providers/find-servers'
import { startVendor, type Vendor } from '@/lib/services/models/providers/testing/vendors'

const database = await testDatabase()
const vendors: Vendor[] = []
const vendor = async (paths: Parameters<typeof startVendor>[0]) => {
  const started = await startVendor(paths)
  vendors.push(started)
  return started.origin
}

beforeEach(() => database.query('delete from provider'))
afterAll(async () => {
  unloadCatalogue()
  await closeEngines()
  await Promise.all(vendors.map(({ close }) => close()))
})

const studio = await vendor({
  'GET /api/v0/models': { data: [{ id: 'gemma', type: 'llm', max_context_length: 8_192 }] },
})
const sglang = await vendor({ 'GET /v1/models': { data: [{ id: 'llama', owned_by: 'sglang' }] } })
const ollama = await vendor({
  'GET /api/tags': { models: [{ name: 'qwen3', digest: 'a' }] },
  'POST /api/show': { capabilities: ['completion'] },
})
const comfy = await vendor({
  'GET /object_info/CheckpointLoaderSimple': {
    CheckpointLoaderSimple: { input: { required: { ckpt_name: [['sdxl.safetensors']] } } },
  },
})
const site = await vendor({ 'GET /': (_, response) => response.end('<html>hello') })
const silent = await vendor({ 'GET /v1/models': () => undefined, 'GET /models': () => undefined })

const places = [
  { preset: 'lm-studio', address: `${studio}/v1` },
  { preset: 'vllm', address: `${sglang}/v1` },
  { preset: 'ollama', address: `${ollama}/v1` },
  { preset: 'comfyui', address: comfy },
  { preset: 'sd-webui', address: site },
  { preset: 'llama-cpp', address: `${silent}/v1` },
  { preset: 'sglang', address: 'http://127.0.0.1:9/v1' },
]

test('finds what answers as a model server, names it by what it says, and waits for nobody', async () => {
  setEnvironment({ LOCAL_ENGINES: 'on', EMBEDDED_MODELS: 'off' })
  expect(await findServers(places)).toEqual([
    { preset: 'lm-studio', address: `${studio}/v1`, models: 1, isInUse: false },
    { preset: 'sglang', address: `${sglang}/v1`, models: 1, isInUse: false },
    { preset: 'ollama', address: `${ollama}/v1`, models: 1, isInUse: false },
    { preset: 'comfyui', address: comfy, models: 1, isInUse: false },
  ])
})

test('leaves out what is connected, and marks what is in use by itself', async () => {
  setEnvironment({ LOCAL_ENGINES: 'off', EMBEDDED_MODELS: 'off' })
  await loadCatalogue()
  await discoverLocalEngines({ ollama, llamacpp: 'http://127.0.0.1:9' })
  await connectProvider({
    preset: 'lm-studio',
    address: `${studio}/v1`,
    models: [{ upstreamModel: 'gemma', type: 'text', prices: null }],
    marginPercent: 0,
  })
  setEnvironment({ LOCAL_ENGINES: 'on', EMBEDDED_MODELS: 'off' })
  const found = await findServers(places.slice(0, 3))
  expect(found.map(({ preset, isInUse }) => [preset, isInUse])).toEqual([
    ['sglang', false],
    ['ollama', true],
  ])
})

test('looks for nothing where the operator does not want it', async () => {
  setEnvironment({ LOCAL_ENGINES: 'off', EMBEDDED_MODELS: 'off' })
  expect(await findServers(places)).toEqual([])
})
