import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Keys } from '@/e2e/servers/fuzz/callers'
import { atHome, fittings, type Props } from '@/e2e/servers/fuzz/hints'
import { fuzzModels } from '@/e2e/servers/fuzz/models'
import { type Operation, operationsOf } from '@/e2e/servers/fuzz/operations'
import type { Fitting } from '@/e2e/servers/fuzz/requests'
import { plainPicture, startFuzzUpstream } from '@/e2e/servers/fuzz/upstream'
import { command } from '@/e2e/testing/admin-line'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { startLocalSite } from '@/e2e/testing/local-site'
import { startRpcNode } from '@/e2e/testing/rpc-node'
import type { OpenApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { checkOf, type DocumentCheck } from '@/lib/endpoints/docs/openapi/testing-check'
import { removeFolder } from '@/scripts/tools/temp-folder'

export type FuzzStage = {
  stage: Stage
  check: DocumentCheck
  document: OpenApiDocument
  operations: Operation[]
  fittingOf: (operation: Operation) => Fitting
  keys: Keys
  wallet: PrivateKeyAccount
  close: () => Promise<void>
}

const LIMIT = 1_000_000_000
const tier = { requestsPerMinute: LIMIT, tokensPerMinute: LIMIT }
/** Nobody is kept out for what he did before: a request's reply is its own. */
const LIMITS = {
  tiers: { XS: tier, S: tier, M: tier, L: tier },
  types: { image: LIMIT, audio: LIMIT, embedding: LIMIT, queue: LIMIT, retrieve: LIMIT },
  routes: {
    'crypto-rpc': LIMIT,
    'top-up': LIMIT,
    'x402-balance': LIMIT,
    'x402-transactions': LIMIT,
    'api-keys': LIMIT,
    'billing-usage': LIMIT,
    augment: LIMIT,
    default: LIMIT,
  },
  cryptoRpc: { concurrencyPerUser: 0, creditsPerDay: LIMIT },
  failedRequests: { count: 0 },
  concurrency: { perKey: 0, perWallet: 0, perIp: 0 },
}
/** The server starts without its local chains where they are slow, and goes on starting them. */
const CHAINS = { message: 'the local chains run', timeout: 90_000 }
const CREDIT_USD = '1000'
/** Less than a request may begin with. */
const POOR_USD = '0.05'
/** Jobs and keys that requests may use up; of one account 20 jobs may be under way. */
const TO_END = 6
const TO_FETCH = 4
const RPC_NETWORK = 'base-mainnet'
const CHAIN_OF_BASE = '0x2105'
const PICTURE_SIDE = 300
/** A wallet of tests; nobody else's money is behind it. */
const WALLET_KEY = `0x${'5e'.repeat(32)}` as const

/** The built server with providers that do everything at once, and callers of every kind. */
export async function openFuzzStage(): Promise<FuzzStage> {
  const [upstream, site, node] = await Promise.all([startFuzzUpstream(), startLocalSite(), startRpcNode(CHAIN_OF_BASE)])
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-fuzz-'))
  const close = async () => {
    await Promise.all([upstream.close(), site.close(), node.close(), removeFolder(folder)])
  }
  const file = path.join(folder, 'models.json')
  await writeFile(file, JSON.stringify(fuzzModels(upstream.baseUrl)))
  const variables = {
    MODELS_FILE: file,
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: site.origin,
    EGRESS_ALLOW_ORIGINS: site.origin,
    RPC_URLS_BASE_MAINNET: node.url,
    LOG_LEVEL: 'info',
  }
  const stage = await openStage(LIMITS, variables).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const closeAll = async () => {
    await stage.stop()
    await close()
  }
  try {
    const reply = await fetch(`http://127.0.0.1:${stage.product.port}/doc/api/openapi.json`)
    const document = (await reply.json()) as OpenApiDocument
    await expect
      .poll(async () => (await fetch(`${stage.baseUrl}/x402/top-up`, { method: 'POST' })).status, CHAINS)
      .toBe(402)
    const { keys, ...keyIds } = await newKeys(stage)
    const wallet = privateKeyToAccount(WALLET_KEY)
    const fittingOf = fittings({
      site,
      picture: await plainPicture(PICTURE_SIDE),
      ...keyIds,
      ...(await newJobs(stage, keys.KEY)),
      address: wallet.address,
      slug: await anySlug(stage, keys.KEY),
    })
    const operations = operationsOf(document).map((operation) => {
      const { json } = operation
      const example = json && atHome(json.example, fittingOf(operation).hints, site)
      return { ...operation, ...(json && { json: { ...json, example } }) }
    })
    const check = checkOf(document)
    warmUp(check, operations)
    await call(stage, keys.KEY, 'POST', `/crypto/rpc/${RPC_NETWORK}`, { method: 'eth_blockNumber' })
    return {
      stage,
      check,
      document,
      operations,
      fittingOf,
      keys,
      wallet,
      close: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Schemas are compiled when they are first looked at, and the node of this process would not answer meanwhile. */
function warmUp(check: DocumentCheck, operations: Operation[]): void {
  for (const { json } of operations) if (json) check.faultsOf(json.schema, json.example)
}

async function call(stage: Stage, key: string, method: string, path: string, body?: object): Promise<never> {
  const response = await fetch(stage.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as never
}

type NewKey = { data: { id: string; apiKey: string } }

/** One account's keys of every kind, and a key of another that has next to nothing; beside them ids of keys in nobody's hands. */
async function newKeys(stage: Stage): Promise<{ keys: Keys } & Pick<Props, 'keyId' | 'keysToEnd'>> {
  const create = async (...more: string[]) =>
    (await command(stage.dataDir, 'keys', 'create', '--name', 'fuzz', ...more)).split('\n').at(-1)!
  const ADMIN_KEY = await create('--type', 'ADMIN', '--credit', CREDIT_USD)
  const POOR_KEY = await create('--credit', POOR_USD)
  const make = async (description: string) => {
    const body = { apiKeyType: 'INFERENCE', description }
    const { data }: NewKey = await call(stage, ADMIN_KEY, 'POST', '/api_keys', body)
    return data
  }
  const [usual, ended, idle] = [await make('usual'), await make('ended'), await make('idle')]
  const toEnd = await Promise.all(Array.from({ length: TO_END }, () => make('to end')))
  await call(stage, ADMIN_KEY, 'DELETE', `/api_keys?id=${ended.id}`)
  return {
    keys: { KEY: usual.apiKey, ADMIN_KEY, POOR_KEY, ENDED_KEY: ended.apiKey },
    keyId: idle.id,
    keysToEnd: toEnd.map(({ id }) => id),
  }
}

/** Songs and films that are made by the time that they are asked for. */
async function newJobs(
  stage: Stage,
  key: string,
): Promise<Pick<Props, 'songs' | 'films' | 'songsToEnd' | 'filmsToEnd'>> {
  const queue = async (kind: 'audio' | 'video', body: object, count: number) => {
    const made: string[] = []
    while (made.length < count) {
      const { queue_id }: { queue_id: string } = await call(stage, key, 'POST', `/${kind}/queue`, body)
      made.push(queue_id)
    }
    return made
  }
  const song = { model: 'band', prompt: 'The tide comes in' }
  const film = { model: 'reel', prompt: 'The tide comes in', duration: '4s' }
  return {
    songs: await queue('audio', song, TO_FETCH),
    films: await queue('video', film, TO_FETCH),
    songsToEnd: await queue('audio', song, TO_END),
    filmsToEnd: await queue('video', film, TO_END),
  }
}

async function anySlug(stage: Stage, key: string): Promise<string> {
  const { data }: { data: { slug: string }[] } = await call(stage, key, 'GET', '/characters?limit=1')
  return data[0]!.slug
}
