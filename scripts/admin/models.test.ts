import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { withEnvironment } from '@/lib/access/testing'
import { runAdmin } from '@/scripts/admin/run'

/** Checks a models file whose one engine is this handler. */
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
  expect(output).toMatch(/house: failed after \d+ ms \(atlas\): ./)
})

test('models check names what is wrong in a file', async () => {
  const { exitCode, output } = await check(() => undefined, '[{ id: atlas, type: nonsense, engine: house }]')
  expect(exitCode).toBe(1)
  expect(output).toContain('type')
})

test('models pull knows its names', async () => {
  expect(await runAdmin(['models', 'pull', 'gigantic'])).toMatchObject({ exitCode: 2 })
})
