import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startHub } from '@/lib/services/engines/embedded/testing/hub'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { withEnvironment } from '@/lib/services/identity/testing'
import { runAdmin } from '@/server/admin/run'

async function check(
  handler: RequestListener,
  models = '[{ id: atlas, name: Atlas, type: text, engine: house, upstreamModel: m }]',
) {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'models-')), 'models.yaml')
  writeFileSync(
    file,
    `engines: { house: { kind: openai, baseUrls: ["http://127.0.0.1:${port}/v1"] } }\nmodels: ${models}\n`,
  )
  try {
    return await withEnvironment({ MODELS_FILE: file, EMBEDDED_MODELS: 'off' }, () => runAdmin(['models', 'check']))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

test('models check calls the engine of a good file', async () => {
  const { exitCode, json } = await check((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${chunk({ content: 'yes' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`)
  })
  expect(json).toMatchObject({ models: ['atlas'], engines: [{ engine: 'house', model: 'atlas', isWorking: true }] })
  expect(exitCode).toBe(0)
})

test('models check fails when an engine does, and says why', async () => {
  const { exitCode, output } = await check((_, response) => response.writeHead(401).end('{"error":"no such key"}'))
  expect(exitCode).toBe(1)
  expect(output).toMatch(/house: failed after \d+ ms \(text, atlas\): ./)
})

test('models check names what is wrong in a file', async () => {
  const { exitCode, output } = await check(() => undefined, '[{ id: atlas, type: nonsense, engine: house }]')
  expect(exitCode).toBe(1)
  expect(output).toContain('type')
})

test('models pull knows its names', async () => {
  expect(await runAdmin(['models', 'pull', 'gigantic'])).toMatchObject({ exitCode: 2 })
  expect(await runAdmin(['models', 'pull', 'lean', '--sha256', 'ab'])).toMatchObject({ exitCode: 2 })
  const refused = await runAdmin(['models', 'pull', '/tmp/mine.gguf', '--sha256', 'ab'])
  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('64 characters') })
})

test('models check calls each kind of work once, and begins none that costs dollars', async () => {
  const asked: string[] = []
  const image = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
  const answers: Record<string, [type: string, body: string | Buffer]> = {
    '/embeddings': ['application/json', JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] })],
    '/audio/speech': ['audio/wav', Buffer.from('RIFF')],
    '/audio/transcriptions': ['application/json', JSON.stringify({ text: '' })],
    '/images/generations': ['application/json', JSON.stringify({ data: [{ b64_json: image }] })],
    '/images/edits': ['application/json', JSON.stringify({ data: [{ b64_json: image }] })],
    '/image/upscale': ['image/png', Buffer.from(image, 'base64')],
  }
  const { exitCode, json, output } = await check(
    (request, response) => {
      const path = request.url!.replace('/v1', '')
      asked.push(`${request.method} ${path}`)
      const [type, body] = answers[path] ?? []
      if (type === undefined) return void response.writeHead(404).end('{"error":"no such job"}')
      response.writeHead(200, { 'content-type': type }).end(body)
    },
    `[{ id: vectors, type: embedding, engine: house, embeddingDimensions: 2 },
      { id: more-vectors, type: embedding, engine: house, embeddingDimensions: 2 },
      { id: mouth, type: tts, engine: house, voices: [one], supported_formats: [wav], default_format: wav },
      { id: ear, type: asr, engine: house }, { id: brush, type: image, engine: house },
      { id: mender, type: inpaint, engine: house }, { id: lens, type: upscale, engine: house },
      { id: band, type: music, engine: house }, { id: reel, type: video, engine: house }]`,
  )
  expect(output).toContain('house: reached in')
  const { engines } = json as { engines: { type: string; model: string; outcome: string }[] }
  expect(Object.fromEntries(engines.map(({ model, outcome }) => [model, outcome]))).toEqual({
    vectors: 'answered',
    mouth: 'answered',
    ear: 'answered',
    brush: 'answered',
    mender: 'answered',
    lens: 'answered',
    band: 'reached',
    reel: 'reached',
  })
  expect(exitCode).toBe(0)
  expect(asked.filter((one) => one.includes('videos'))).toEqual([
    'GET /videos/lagoon-check',
    'GET /videos/lagoon-check',
  ])
})

test('models check tells a provider of films that does not know us from one that does', async () => {
  const video = '[{ id: reel, type: video, engine: house }]'
  const wrongKey = await check((_, response) => void response.writeHead(401).end('{"error":"no such key"}'), video)
  expect(wrongKey.exitCode).toBe(1)
  expect(wrongKey.output).toMatch(/house: failed after \d+ ms \(video, reel\): ./)
})

describe('models of a hub', () => {
  test('are pulled, listed and removed', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'pull-'))
    const files = { 'tiny-Q8_0.gguf': randomGguf({ name: 'Tiny' }) }
    const hub = await startHub({ 'tiny/tiny-GGUF': { files, license: 'mit' } })
    onTestFinished(async () => {
      await hub.close()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const admin = (...argv: string[]) =>
      withEnvironment({ DATA_DIR: dataDir, HF_ENDPOINT: hub.origin }, () => runAdmin(argv))

    expect(await admin('models', 'list')).toMatchObject({ exitCode: 0, output: 'No models are installed.' })
    const pulled = await admin('models', 'pull', 'hf:tiny/tiny-GGUF', '--json')
    expect(pulled).toMatchObject({ exitCode: 0, json: { models: [{ id: 'tiny-q8_0', license: 'mit' }] } })
    expect(pulled.output).toMatch(/^tiny-q8_0 is ready \(Q8_0, \d+ KB, mit\)\./)
    const listed = await admin('models', 'list')
    expect(listed.output).toMatch(/^ID .*\ntiny-q8_0 +\d+ KB +Q8_0 +512 +mit +hf:tiny\/tiny-GGUF:Q8_0$/)
    expect(await admin('models', 'remove', 'tiny-q8_0')).toMatchObject({
      exitCode: 0,
      output: 'tiny-q8_0 was removed.',
    })

    expect(await admin('models', 'remove', 'tiny-q8_0')).toMatchObject({ exitCode: 1 })
    expect(await admin('models', 'remove')).toMatchObject({ exitCode: 2 })
    expect(await admin('models', 'pull', 'hf:tiny/tiny-GGUF:Q2_K')).toMatchObject({
      exitCode: 1,
      output: 'tiny/tiny-GGUF has no quantization Q2_K. It has: Q8_0.',
    })
    expect((await admin('models', 'list')).output).toContain('hf:tiny/tiny-GGUF:Q2_K: failed: tiny/tiny-GGUF has no')
    expect((await admin('models', 'remove', 'hf:tiny/tiny-GGUF:Q2_K')).output).toMatch(/was given up/)
    expect((await admin('models', 'list')).output).toBe('No models are installed.')
    expect(await admin('models', 'pull', 'nonsense')).toMatchObject({ exitCode: 2 })
  })
})
