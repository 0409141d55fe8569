import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { findLocalEngines } from '@/lib/services/models/local-engines'

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

/** A server on loopback that answers these paths with JSON, and everything else with 404. */
async function serving(paths: Record<string, unknown>): Promise<string> {
  const server = createServer((request, response) => {
    const body = paths[request.url ?? '']
    if (body === 'hang') return
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const nobody = 'http://127.0.0.1:9'

test('finds Ollama’s chat models, and what they can do', async () => {
  const ollama = await serving({
    '/api/tags': { models: [{ name: 'llama3.2:3b', digest: 'abc', modified_at: '2026-01-02T03:04:05Z' }] },
    '/api/show': {
      capabilities: ['completion', 'tools', 'thinking'],
      parameters: 'num_ctx                        8192\nstop "x"',
      model_info: { 'llama.context_length': 131072 },
    },
  })
  const [found] = await findLocalEngines({ ollama, llamacpp: nobody })
  expect(found).toMatchObject({
    engine: 'ollama',
    definition: { kind: 'openai', baseUrls: [`${ollama}/v1`] },
    entries: [
      {
        id: 'ollama/llama3.2:3b',
        upstreamModel: 'llama3.2:3b',
        contextTokens: 8192,
        created: 1767323045,
        privacy: 'private',
        capabilities: { supportsFunctionCalling: true, supportsReasoning: true, supportsVision: false },
      },
    ],
  })
})

test('leaves out models that only embed', async () => {
  const ollama = await serving({
    '/api/tags': { models: [{ name: 'nomic-embed-text:latest', digest: 'abc' }] },
    '/api/show': { capabilities: ['embedding'] },
  })
  expect(await findLocalEngines({ ollama, llamacpp: nobody })).toMatchObject([{ engine: 'ollama', entries: [] }])
})

test('finds llama.cpp’s model by the name of its file', async () => {
  const llamacpp = await serving({
    '/v1/models': {
      object: 'list',
      data: [{ id: '/models/Qwen3 8B.gguf', owned_by: 'llamacpp', created: 1767225600 }],
    },
    '/props': { default_generation_settings: { n_ctx: 16384 } },
  })
  expect(await findLocalEngines({ ollama: nobody, llamacpp })).toMatchObject([
    {
      engine: 'llamacpp',
      entries: [{ id: 'llamacpp/Qwen3-8B', upstreamModel: '/models/Qwen3 8B.gguf', contextTokens: 16384 }],
    },
  ])
})

test('another server on the usual port is left alone', async () => {
  const other = await serving({
    '/v1/models': { data: [{ id: 'gpt-4', owned_by: 'openai' }] },
    '/api/tags': { models: 'none' },
  })
  expect(await findLocalEngines({ ollama: other, llamacpp: other })).toEqual([])
})

test('a server that does not answer is not waited for', async () => {
  const slow = await serving({ '/v1/models': 'hang', '/api/tags': 'hang' })
  // It never does: waited for, it would take longer than a test may.
  expect(await findLocalEngines({ ollama: slow, llamacpp: slow })).toEqual([])
})
