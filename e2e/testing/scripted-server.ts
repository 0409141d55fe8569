import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@/scripts/tools/free-port'
import { removeFolder } from '@/scripts/tools/temp-folder'
import { layDatabase } from '@/scripts/tools/test-data'
import { type LocalSite, startLocalSite } from './local-site'
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream'

const READY_TIMEOUT_MS = 60_000
const EXIT_TIMEOUT_MS = 35_000
/** The last day of the model that is on its way out. */
export const RETIRES_ON = '2099-12-31'

export type ScriptedServer = {
  origin: string
  upstream: ScriptedUpstream
  /** All of the web that it finds and reads. */
  site: LocalSite
  /** Where it keeps its data, for `command` of admin-line.ts. */
  dataDir: string
  close: () => Promise<void>
}

/** The built product on a port and a database of its own, with models that play scripts and a web of one site. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const [upstream, site] = await Promise.all([startScriptedUpstream(), startLocalSite()])
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-scripted-'))
  const modelsFile = path.join(folder, 'models.json')
  await writeFile(modelsFile, JSON.stringify(modelsOf(upstream.baseUrl)))
  const dataDir = path.join(folder, 'data')
  await layDatabase(dataDir)
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const child = spawn(process.execPath, ['--enable-source-maps', path.join('dist', 'server.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'production',
      PORT: String(port),
      SERVICE_ORIGIN: origin,
      DATA_DIR: dataDir,
      SANDBOX: 'on',
      EMBEDDED_MODELS: 'off',
      LOCAL_ENGINES: 'off',
      MODELS_FILE: modelsFile,
      SEARCH_PROVIDER: 'searxng',
      SEARCH_URL: site.origin,
      EGRESS_ALLOW_ORIGINS: site.origin,
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
    },
  })
  const close = async () => {
    await end(child)
    await Promise.all([upstream.close(), site.close()])
    await removeFolder(folder)
  }
  try {
    await untilReady(child, `${origin}/readyz`)
  } catch (error) {
    await close()
    throw error
  }
  return { origin, upstream, site, dataDir, close }
}

function modelsOf(baseUrl: string) {
  const common = { type: 'text', engine: 'scripted', contextTokens: 131_072, maxCompletionTokens: 16_384 }
  return {
    // The faults of one do not count against the other.
    engines: Object.fromEntries(['scripted', 'old'].map((name) => [name, { kind: 'openai', baseUrls: [baseUrl] }])),
    models: [
      {
        ...common,
        id: 'atlas-large',
        name: 'Atlas Large',
        upstreamModel: 'large',
        capabilities: { supportsReasoning: true, supportsFunctionCalling: true },
        pricing: { input: { usd: 0.4 }, output: { usd: 1.2 }, cache_input: { usd: 0.1 } },
        traits: ['default'],
      },
      {
        ...common,
        id: 'harbour-mini',
        name: 'Harbour Mini',
        upstreamModel: 'mini',
        pricing: { input: { usd: 0.05 }, output: { usd: 0.08 } },
      },
      {
        ...common,
        id: 'beacon-sight',
        name: 'Beacon Sight',
        upstreamModel: 'sight',
        capabilities: {
          supportsVision: true,
          supportsMultipleImages: true,
          supportsAudioInput: true,
          supportsVideoInput: true,
        },
        pricing: { input: { usd: 0.5 }, output: { usd: 1.5 } },
      },
      {
        ...common,
        id: 'keel-classic',
        name: 'Keel Classic',
        engine: 'old',
        upstreamModel: 'classic',
        pricing: { input: { usd: 0.3 }, output: { usd: 0.9 } },
        deprecation: { removesAt: RETIRES_ON, replacementModelId: 'harbour-mini' },
      },
    ],
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const giveUpAt = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < giveUpAt && child.exitCode === null) {
    const reply = await fetch(url).catch(() => undefined)
    if (reply?.ok) return
    await sleep(250)
  }
  throw new Error('The server did not become ready.')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await Promise.race([once(child, 'exit'), sleep(EXIT_TIMEOUT_MS, undefined, { ref: false })])
  child.kill('SIGKILL')
}
