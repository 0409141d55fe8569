import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startContractUpstream } from '@/e2e/testing/contract-upstream'
import { startLocalSite } from '@/e2e/testing/local-site'
import { openWalletStage } from '@/e2e/testing/wallet-stage'
import { startUpstream } from '@/lib/services/engines/upstream/testing/fake-upstream'
import { removeFolder } from '@/scripts/tools/temp-folder'

export type DocsStage = {
  /** Of the server. */
  origin: string
  /** Where programs run: with packages, a picture, and what earlier programs wrote there. */
  folder: string
  /** What programs find in their environment: a key with credit, a wallet with money, and the server's own settings. */
  environment: NodeJS.ProcessEnv
  close: () => Promise<void>
}

const PICTURE_SIDE = 256

/** The built server with something of every kind that the guides speak of: scripted, embedded, or on local chains. */
export async function openDocsStage(): Promise<DocsStage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-docs-'))
  const [house, studio, site] = await Promise.all([startContractUpstream(), startPainter(), startLocalSite()])
  const modelsFile = path.join(folder, 'models.json')
  await writeFile(modelsFile, JSON.stringify(models(house.baseUrl, studio.baseUrl)))
  const close = async () => {
    await Promise.all([house.close(), studio.close(), site.close()])
    await removeFolder(folder)
  }
  const variables = {
    MODELS_FILE: modelsFile,
    EMBEDDED_MODELS: 'lean',
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: site.origin,
    EGRESS_ALLOW_ORIGINS: site.origin,
  }
  const stage = await openWalletStage({}, variables).catch(async (error: unknown) => {
    await close()
    throw error
  })
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'image.png'), await blue())
  const privateKey = generatePrivateKey()
  await stage.fund(privateKeyToAccount(privateKey).address, '100')
  return {
    origin: `http://localhost:${stage.product.port}`,
    folder,
    environment: {
      ...stage.product.environment,
      API_KEY: await stage.newKey(),
      PRIVATE_KEY: privateKey,
      NODE_OPTIONS: `--import=${await writeWatch(folder)}`,
      // The test runner asks for colours.
      FORCE_COLOR: '0',
      CURL_HOME: await writeCurlrc(folder),
    },
    close: async () => {
      await stage.stop()
      await close()
    },
  }
}

function models(house: string, studio: string) {
  const upscale = { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } }
  const embedded = (type: string, id: string, more: object) => ({
    type,
    id,
    engine: 'embedded',
    upstreamModel: id,
    ...more,
  })
  return {
    engines: {
      house: { kind: 'openai', baseUrls: [house], apiKeyEnv: 'CONTRACT_UPSTREAM_KEY', acceptsTestCredit: true },
      studio: { kind: 'openai', baseUrls: [studio] },
    },
    models: [
      {
        id: 'say',
        type: 'text',
        engine: 'house',
        upstreamModel: 'say',
        contextTokens: 32_768,
        maxCompletionTokens: 8_192,
        capabilities: { supportsFunctionCalling: true, supportsVision: true },
        pricing: { input: { usd: 1 }, output: { usd: 2 } },
        traits: ['default'],
      },
      { id: 'painter', type: 'image', engine: 'studio', pricing: { generation: { usd: 0.01 }, upscale } },
      embedded('upscale', 'esrgan-slim', { pricing: { upscale } }),
      embedded('tts', 'kokoro-82m', { voices: ['af_heart'], pricing: { input: { usd: 1 } } }),
      embedded('asr', 'moonshine-tiny', { pricing: { per_audio_second: { usd: 0.0001 } } }),
      embedded('music', 'kokoro-82m-long', {
        voices: ['af_heart'],
        default_voice: 'af_heart',
        pricing: { per_thousand_characters: { usd: 0.001 } },
      }),
    ],
  }
}

const startPainter = () =>
  startUpstream(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ created: 1, data: [{ b64_json: (await blue()).toString('base64') }] }))
  })

const blue = (): Promise<Buffer> =>
  sharp({ create: { width: PICTURE_SIDE, height: PICTURE_SIDE, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()

/** A program that gets an error and goes on has failed all the same; 402 is how payments begin. */
async function writeWatch(folder: string): Promise<string> {
  const file = path.join(folder, 'watch.mjs')
  const program = `const ask = globalThis.fetch
globalThis.fetch = async (...given) => {
  const response = await ask(...given)
  if (response.status >= 400 && response.status !== 402) {
    process.exitCode = 1
    console.error(response.status, response.url, await response.clone().text())
  }
  return response
}
`
  await writeFile(file, program)
  return file
}

/** For curl an error is no failure unless it is told so. */
async function writeCurlrc(folder: string): Promise<string> {
  const home = path.join(folder, 'curl')
  await mkdir(home)
  await writeFile(path.join(home, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nmax-time = 60\n')
  return home
}
