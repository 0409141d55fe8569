import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { removeFolder } from '@/scripts/tools/temp-folder'

/** What the painter does with one request. */
export type Painting = { delayMs?: number; status?: number; isRefused?: boolean }

export type StudioStage = {
  origin: string
  /** How the next requests are answered, in turn. */
  next: (...paintings: Painting[]) => void
  /** What was asked, the newest last. */
  prompts: string[]
  stop: () => Promise<void>
}

const PICTURE_USD = 0.04
const WELCOME_USD = '0.5'

/** The built server with painters behind it that play scripts, and the enlarger inside it: of its models those named. */
export async function openStudioStage(
  variables: Record<string, string> = {},
  ids = ['painter', 'retouch', 'scissors', 'esrgan-slim'],
): Promise<StudioStage> {
  const queue: Painting[] = []
  const prompts: string[] = []
  const painter = await startPainter(queue, prompts)
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-studio-'))
  const file = path.join(folder, 'models.json')
  await writeFile(file, JSON.stringify(modelsFile(painter.url, ids)))
  const close = async () => {
    painter.server.closeAllConnections()
    painter.server.close()
    await removeFolder(folder)
  }
  let stage: Stage
  try {
    const own = { MODELS_FILE: file, EMBEDDED_MODELS: 'lean', WELCOME_CREDIT_USD: WELCOME_USD, ...variables }
    stage = await openStage({}, own)
  } catch (error) {
    await close()
    throw error
  }
  return {
    origin: stage.origin(),
    next: (...paintings) => void queue.push(...paintings),
    prompts,
    stop: async () => {
      await stage.stop()
      await close()
    },
  }
}

function modelsFile(url: string, ids: readonly string[]) {
  const upscale = { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } }
  const constraints = { promptCharacterLimit: 1_500, steps: { default: 20, max: 50 }, widthHeightDivisor: 8 }
  return {
    engines: { studio: { kind: 'openai', baseUrls: [url] } },
    models: [
      {
        id: 'painter',
        name: 'Lagoon Painter',
        description: 'Paints landscapes of the coast, in the light of any hour.',
        type: 'image',
        engine: 'studio',
        constraints,
        pricing: { generation: { usd: PICTURE_USD }, upscale },
      },
      {
        id: 'retouch',
        name: 'Retouch',
        type: 'inpaint',
        engine: 'studio',
        constraints: { aspectRatios: ['auto', '1:1', '16:9'], promptCharacterLimit: 1_500, combineImages: true },
        pricing: { inpaint: { usd: 0.02 }, inputImages: { included: 1, additional: { usd: 0.01 } } },
      },
      {
        id: 'scissors',
        name: 'Scissors',
        type: 'inpaint',
        engine: 'studio',
        traits: ['background_removal'],
        pricing: { inpaint: { usd: 0.005 } },
      },
      {
        id: 'eraser',
        name: 'Eraser',
        type: 'inpaint',
        engine: 'studio',
        traits: ['object_removal'],
        pricing: { inpaint: { usd: 0.002 } },
      },
      { id: 'esrgan-slim', type: 'upscale', engine: 'embedded', pricing: { upscale } },
    ].filter(({ id }) => ids.includes(id)),
  }
}

async function startPainter(queue: Painting[], prompts: string[]): Promise<{ url: string; server: Server }> {
  let painted = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const json = request.headers['content-type']?.startsWith('application/json')
    const { size = '640x480', prompt = '' } = json ? JSON.parse(Buffer.concat(chunks).toString()) : {}
    prompts.push(prompt)
    const { delayMs = 0, status = 200, isRefused = false } = queue.shift() ?? {}
    await sleep(delayMs)
    const answer = (code: number, body: object) => {
      response.writeHead(code, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (isRefused) return answer(400, { error: { code: 'content_policy_violation', message: 'Refused.' } })
    if (status !== 200) return answer(status, { error: { message: 'The painter is out of paint.' } })
    painted += 1
    const [width = 640, height = 480] = size.split('x').map(Number)
    const isCut = request.url?.endsWith('/image/background-remove') ?? false
    const picture = await lagoon(width, height, painted, isCut)
    if (!isCut) return answer(200, { created: 1, data: [{ b64_json: picture.toString('base64') }] })
    response.writeHead(200, { 'content-type': 'image/png' })
    response.end(picture)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server }
}

/** A sun over water, in another light each time; what is in front of nothing where it is cut out. */
export function lagoon(width: number, height: number, light = 1, isCut = false): Promise<Buffer> {
  const hue = (light * 67) % 360
  const sky = isCut
    ? ''
    : `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="hsl(${hue},45%,32%)"/>
    <stop offset="0.6" stop-color="hsl(${(hue + 40) % 360},70%,72%)"/></linearGradient></defs><rect width="100%" height="62%" fill="url(#sky)"/>
    <rect y="62%" width="100%" height="38%" fill="hsl(${hue},40%,24%)"/>`
  const sun = `<circle cx="${30 + ((light * 13) % 40)}%" cy="52%" r="${Math.min(width, height) * 0.12}" fill="hsl(${(hue + 60) % 360},95%,82%)"/>`
  const reeds = Array.from({ length: 14 }, (_, at) => {
    const x = (at * 61 + light * 29) % 100
    return `<rect x="${x}%" y="${66 + (at % 5) * 5}%" width="${6 + (at % 4) * 4}%" height="1%" rx="4" fill="hsl(${(hue + 30) % 360},60%,62%)" opacity="0.55"/>`
  }).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${sky}${sun}${isCut ? '' : reeds}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
