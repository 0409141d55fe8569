import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import OpenAI from 'openai'
import sharp from 'sharp'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { removeFolder } from '@/scripts/tools/temp-folder'

/** Pictures, asked by the field's own client of a server whose image models are a scripted upstream and the embedded ones. */

let stage: Stage
let upstream: Server
let folder: string
let client: OpenAI
let key: string

test.beforeAll(async () => {
  test.setTimeout(180_000)
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { size = '512x512', prompt = '' } = request.headers['content-type']?.startsWith('application/json')
      ? JSON.parse(Buffer.concat(chunks).toString())
      : {}
    if (prompt.includes('forbidden')) {
      response.writeHead(400, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ error: { code: 'content_policy_violation' } }))
    }
    const [width, height] = size.split('x').map(Number)
    const picture = await plain(width, height)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ created: 1, data: [{ b64_json: picture.toString('base64') }] }))
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  folder = await mkdtemp(path.join(tmpdir(), 'lagoon-images-'))
  const file = path.join(folder, 'models.json')
  await writeFile(file, JSON.stringify(modelsFile(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`)))
  stage = await openStage({}, { MODELS_FILE: file, EMBEDDED_MODELS: 'lean' })
  key = await stage.newKey()
  client = new OpenAI({ baseURL: stage.baseUrl, apiKey: key, maxRetries: 0 })
})

test.afterAll(async () => {
  await stage.stop()
  upstream.closeAllConnections()
  upstream.close()
  await removeFolder(folder)
})

function modelsFile(url: string) {
  const upscale = { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } }
  return {
    engines: { studio: { kind: 'openai', baseUrls: [url] } },
    models: [
      { id: 'painter', type: 'image', engine: 'studio', pricing: { generation: { usd: 0.01 }, upscale } },
      { id: 'retouch', type: 'inpaint', engine: 'studio', pricing: { inpaint: { usd: 0.02 } } },
      { id: 'esrgan-slim', type: 'upscale', engine: 'embedded', pricing: { upscale } },
    ],
  }
}

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 30, g: 120, b: 160 } } })
    .png()
    .toBuffer()

const post = (route: string, body: object) =>
  fetch(`${stage.baseUrl}/${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('the client generates a picture: base64, a data URL, another model’s name', async () => {
  const { data, created } = await client.images.generate({ prompt: 'A lagoon', model: 'dall-e-3', size: '512x512' })
  expect(created).toBeGreaterThan(1_700_000_000)
  const picture = await sharp(Buffer.from(data![0]!.b64_json!, 'base64')).metadata()
  expect(picture).toMatchObject({ format: 'png', width: 512, height: 512 })
  const other = await client.images.generate({ prompt: 'A lagoon', response_format: 'url' })
  expect(other.data![0]!.url).toMatch(/^data:image\/png;base64,/)
})

test('the client hears what is wrong in its own errors', async () => {
  const refused = (body: object) =>
    client.images.generate({ prompt: 'A lagoon', ...body }).then(
      () => undefined,
      ({ status, code }: { status: number; code: unknown }) => [status, code],
    )
  expect((await refused({ n: 2 }))?.[0]).toBe(400)
  expect((await refused({ safe_mode: false }))?.[0]).toBe(400)
  expect((await refused({ prompt: '' }))?.[0]).toBe(400)
})

test('the service’s own endpoint: one file, or compressed JSON; a refused picture is black', async () => {
  const file = await post('image/generate', { model: 'painter', prompt: 'A lagoon', return_binary: true, width: 256 })
  expect(file.headers.get('content-type')).toBe('image/webp')
  expect(await sharp(await file.bytes()).metadata()).toMatchObject({ format: 'webp', width: 256, height: 1_024 })
  const black = await post('image/generate', { model: 'painter', prompt: 'forbidden', format: 'png' })
  expect(black.status).toBe(200)
  expect(black.headers.get('x-service-is-content-violation')).toBe('true')
  expect(black.headers.get('content-encoding')).toMatch(/br|gzip/)
})

test('a picture is edited by the upstream, and enlarged by the model inside the server', async () => {
  const image = (await plain(300, 280)).toString('base64')
  const edited = await post('image/edit', { prompt: 'Bluer', image })
  expect([edited.status, edited.headers.get('content-type')]).toEqual([200, 'image/png'])
  const large = await post('image/upscale', { image })
  expect([large.status, large.headers.get('x-service-model-id')]).toEqual([200, 'esrgan-slim'])
  expect(await sharp(await large.bytes()).metadata()).toMatchObject({ format: 'png', width: 600, height: 560 })
})

test('what no model here can do is said, and models are listed with their prices', async () => {
  const cut = await post('image/background-remove', { image: (await plain(300, 300)).toString('base64') })
  expect([cut.status, ((await cut.json()) as { code: string }).code]).toEqual([503, 'MODEL_OFFLINE'])
  const { data } = (await (await fetch(`${stage.baseUrl}/models?type=image`)).json()) as { data: object[] }
  expect(data).toMatchObject([
    {
      id: 'painter',
      model_spec: {
        constraints: { promptCharacterLimit: 1_500, steps: { default: 20, max: 50 }, widthHeightDivisor: 8 },
        pricing: { generation: { usd: 0.01, diem: 0.01 } },
      },
    },
  ])
  const styles = (await (await fetch(`${stage.baseUrl}/image/styles`)).json()) as { data: string[] }
  expect(styles.data).toContain('Anime')
})
