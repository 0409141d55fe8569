import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Product, startProduct } from '@/bench/product'
import { command } from '@/e2e/testing/admin-line'
import {
  BEHAVIOURS,
  type ContractUpstream,
  startContractUpstream,
  UPSTREAM_SECRET,
} from '@/e2e/testing/contract-upstream'
import { freePort } from '@/scripts/tools/free-port'
import { removeFolder } from '@/scripts/tools/temp-folder'
import { layDatabase, linkModels } from '@/scripts/tools/test-data'

export type Stage = {
  product: Product
  upstream: ContractUpstream
  /** The service's own, up to and including `/v1`. */
  baseUrl: string
  /** Where its pages are, by the service's own name: a careful client answers no challenge of another origin. */
  origin: () => string
  /** A new account's key. */
  newKey: (creditUsd?: string) => Promise<string>
  /** Where the server keeps its data. */
  dataDir: string
  /** Ends the server with `kill -9`. Until `start`, none runs. */
  kill: () => Promise<void>
  /** Starts it again on the same data, on another port. */
  start: () => Promise<void>
  /** All that the server has logged. */
  log: () => Promise<string>
  stop: () => Promise<void>
}

/** Short for the behaviours that hang; patient for all others, whose upstream is the test's own busy process. */
const SHORT = { connectMs: 500, firstTokenMs: 700, idleMs: 700, wholeMs: 700 }
const PATIENT = { connectMs: 30_000, firstTokenMs: 30_000, idleMs: 30_000, wholeMs: 30_000 }
const HANGING = new Set(['silent', 'silent-mid'])

/** The built server with a models file of its own: one model for each behaviour of the contract's upstream. */
export async function openStage(
  limits: object = {},
  variables: Record<string, string> = {},
  models: object[] = [],
): Promise<Stage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-contract-'))
  const upstream = await startContractUpstream()
  const files = { MODELS_FILE: path.join(folder, 'models.json'), RATE_LIMITS_FILE: path.join(folder, 'limits.json') }
  await writeFile(files.MODELS_FILE, JSON.stringify(await modelsFile(upstream.baseUrl, models)))
  await writeFile(files.RATE_LIMITS_FILE, JSON.stringify(limits))
  await linkModels(folder)
  await layDatabase(folder)
  const logFile = path.join(folder, 'server.log')
  const environment = {
    ...files,
    DATA_DIR: folder,
    DATABASE_URL: '',
    REDIS_URL: '',
    EMBEDDED_MODELS: 'off',
    LOCAL_ENGINES: 'off',
    SANDBOX: 'on',
    LOG_LEVEL: 'debug',
    CONTRACT_UPSTREAM_KEY: UPSTREAM_SECRET,
    ...variables,
  }
  const close = async () => {
    await upstream.close()
    await removeFolder(folder)
  }
  const product = await startProduct({ logFile, environment }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const stage: Stage = {
    product,
    upstream,
    dataDir: folder,
    baseUrl: apiOf(product),
    origin: () => `http://localhost:${stage.product.port}`,
    newKey: async (creditUsd = '5') => {
      const printed = await command(folder, 'keys', 'create', '--name', 'e2e', '--credit', creditUsd)
      return printed.split('\n').at(-1)!
    },
    kill: () => stage.product.kill(),
    start: async () => {
      stage.product = await startProduct({ logFile, environment })
      stage.baseUrl = apiOf(stage.product)
    },
    log: () => readFile(logFile, 'utf8'),
    stop: async () => {
      await stage.product.stop()
      await close()
    },
  }
  return stage
}

const apiOf = ({ port }: Product): string => `http://127.0.0.1:${port}/api/v1`

/** JSON is YAML too. */
async function modelsFile(baseUrl: string, more: object[]) {
  const engine = (url: string, timeouts: object) => ({
    kind: 'openai',
    baseUrls: [url],
    apiKeyEnv: 'CONTRACT_UPSTREAM_KEY',
    acceptsTestCredit: true,
    promptLogprobs: true,
    timeouts,
  })
  const model = (id: string, name: string, more: object = {}) => ({
    id,
    name: `Contract ${id}`,
    type: 'text',
    engine: name,
    upstreamModel: id,
    contextTokens: 32_768,
    maxCompletionTokens: 8_192,
    capabilities: { supportsFunctionCalling: true, supportsResponseSchema: true },
    pricing: { input: { usd: 1 }, output: { usd: 2 } },
    tier: 'XS',
    ...more,
  })
  const names = Object.keys(BEHAVIOURS)
  return {
    engines: {
      // One each, so that the faults of one do not count against another.
      ...Object.fromEntries(names.map((name) => [name, engine(baseUrl, HANGING.has(name) ? SHORT : PATIENT)])),
      refusing: engine(`http://127.0.0.1:${await freePort()}/v1`, PATIENT),
    },
    models: [
      ...names.map((name) => model(name, name, name === 'say' ? { traits: ['default'], aliases: ['gpt-4o'] } : {})),
      model('endless', 'long', { upstreamModel: 'long', contextTokens: 2_000_000, maxCompletionTokens: 1_000_000 }),
      model('refusing', 'refusing'),
      model('limited', 'say', { upstreamModel: 'say', tier: 'L' }),
      model('falls-back', 'refusing', { fallbacks: ['say'] }),
      ...more,
    ],
  }
}
