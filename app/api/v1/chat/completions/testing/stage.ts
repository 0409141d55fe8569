import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'
import { POST } from '@/app/api/v1/chat/completions/route'
import { modelsFile } from '@/app/api/v1/chat/completions/testing/models'
import { sayHello, scriptedUpstream } from '@/app/api/v1/chat/completions/testing/upstream'
import { nano, type Usd, usd, usdNumber } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import type { RouteHandler } from '@/lib/pipeline/route'
import { closeEngines } from '@/lib/services/engines/registry'
import { createKey } from '@/lib/services/identity/api-keys'
import { setEnvironment } from '@/lib/services/identity/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { balancesOf, settled } from '@/lib/services/ledger/ledger'
import { makeAccount } from '@/lib/services/ledger/testing'
import { loadCatalogue } from '@/lib/services/models/catalogue'

const OPENING = usd('5')
/** What `sayHello` costs: 12 × 1.00 + 8 cached × 0.25 + 3 × 3.00 USD a million. */
export const PRICE_OF_HELLO = 0.000023

/** A route that is asked, and the least that it takes for a question. */
export type AskedRoute = { path: string; POST: RouteHandler; body: Record<string, unknown> }
export const CHAT: AskedRoute = {
  path: 'chat/completions',
  POST,
  body: { messages: [{ role: 'user', content: 'Hi' }] },
}

/** What a file of tests needs beside the usual: variables, models of its own, another route than the chat's. */
export type StageOptions = {
  settings?: Record<string, string>
  models?: Record<string, unknown>[]
  /** Further engines of the models file. */
  engines?: Record<string, unknown>
  route?: AskedRoute
}

export type Call = {
  headers?: Record<string, string | undefined>
  raw?: BodyInit
  signal?: AbortSignal
  route?: AskedRoute
}

/**
 * The chat route, or another, on a real database, with real engines whose other end the test writes. Once per file, at its
 * top. Each test gets an account of 5 USD and its key; when the file ends, every invariant of the ledger must hold.
 */
export async function chatStage({
  settings: more = {},
  models = [],
  engines = {},
  route: asked = CHAT,
}: StageOptions = {}) {
  const database = await testDatabase()
  const upstream = await scriptedUpstream()
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-route-'))
  const file = path.join(folder, 'models.json')
  await writeFile(file, JSON.stringify(modelsFile(upstream.url, models, engines)))
  const settings = {
    MODELS_FILE: file,
    EMBEDDED_MODELS: 'off',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    NODE_ENV: 'test',
    ...more,
  }
  setEnvironment(settings)
  await loadCatalogue()

  const stage = {
    database,
    upstream,
    accountId: '',
    secret: '',
    keyId: '',
    openAccount,
    call,
    streamed,
    spent,
    left,
    linesOf,
  }

  beforeEach(async () => {
    Object.assign(upstream, { answer: sayHello, seen: [], left: 0 })
    Object.assign(stage, await openAccount(OPENING))
  })

  afterAll(async () => {
    await closeEngines()
    await settled()
    const broken = (await checkLedger(database, { depth: 'full' })).filter((check) => check.broken > 0)
    await rm(folder, { recursive: true })
    expect(broken).toEqual([])
  })

  async function openAccount(credit: Usd, { diem, keyLimit }: { diem?: Usd; keyLimit?: Usd } = {}) {
    const accountId = await makeAccount(database, { USD: credit, ...(diem && { DIEM: diem }) })
    const limits = { usd: keyLimit }
    const { secret, id: keyId } = await createKey({ accountId, type: 'INFERENCE', description: 'test', limits })
    return { accountId, secret, keyId }
  }

  async function call(body: Record<string, unknown> = {}, options: Call = {}): Promise<Response> {
    const { headers = {}, raw, signal, route = asked } = options
    const all = { authorization: `Bearer ${stage.secret}`, 'content-type': 'application/json', ...headers }
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const content = raw ?? JSON.stringify({ model: 'atlas', ...route.body, ...body })
    const url = `http://localhost:3000/api/v1/${route.path}`
    const request = new Request(url, { method: 'POST', body: content, headers: sent, signal })
    return route.POST(request, { params: Promise.resolve({}) })
  }

  /** A streamed answer: its chunks as JSON, and what its last frame held. */
  async function streamed(body: Record<string, unknown> = {}, options: Call = {}) {
    const response = await call({ stream: true, ...body }, options)
    const text = await response.text()
    const data = text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: '))
      .map((frame) => frame.slice('data: '.length))
    return { response, text, last: data.at(-1), chunks: data.slice(0, -1).map((json) => JSON.parse(json)) }
  }

  /** Dollars that the test's account has paid. */
  async function spent(): Promise<number> {
    await settled()
    return usdNumber(nano(OPENING - (await balancesOf(stage.accountId)).USD))
  }

  /** Dollars that it has and are not set aside. */
  async function left(): Promise<number> {
    return usdNumber((await balancesOf(stage.accountId)).USD)
  }

  /** The lines of the one usage record of an account: what was charged for, how many, and dollars. */
  async function linesOf(accountId = stage.accountId): Promise<Record<string, [units: number, dollars: number]>> {
    await settled()
    const rows = await database.query<{ lines: { sku: string; units: number; amount: string }[] }>(
      'select lines from usage_record where account_id = $1',
      [accountId],
    )
    expect(rows).toHaveLength(1)
    const all = new Map<string, { units: number; amount: bigint }>()
    for (const { sku, units, amount } of rows[0]!.lines) {
      const before = all.get(sku) ?? { units: 0, amount: 0n }
      all.set(sku, { units: before.units + units, amount: before.amount + BigInt(amount) })
    }
    return Object.fromEntries([...all].map(([sku, { units, amount }]) => [sku, [units, usdNumber(nano(amount))]]))
  }

  return stage
}
