import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'
import { POST } from '@/app/api/v1/chat/completions/route'
import { modelsFile } from '@/app/api/v1/chat/completions/testing/models'
import { sayHello, scriptedUpstream } from '@/app/api/v1/chat/completions/testing/upstream'
import { createKey } from '@/lib/access/api-keys'
import { checkLedger } from '@/lib/billing/invariants'
import { balancesOf, settled } from '@/lib/billing/ledger'
import { makeAccount } from '@/lib/billing/testing'
import { nano, type Usd, usd, usdNumber } from '@/lib/core/money'
import { testDatabase } from '@/lib/db/testing'
import { closeEngines } from '@/lib/engines/registry'
import { loadCatalogue } from '@/lib/models/catalogue'

const OPENING = usd('5')
/** What `sayHello` costs: 12 × 1.00 + 8 cached × 0.25 + 3 × 3.00 USD a million. */
export const PRICE_OF_HELLO = 0.000023

export type Call = { headers?: Record<string, string | undefined>; raw?: BodyInit; signal?: AbortSignal }

/**
 * The chat route on a real database, with real engines whose other end the test writes. Once per file, at its top. Each
 * test gets an account of 5 USD and its key; when the file ends, every invariant of the ledger must hold.
 */
export async function chatStage() {
  const database = await testDatabase()
  const upstream = await scriptedUpstream()
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-route-'))
  const file = path.join(folder, 'models.json')
  await writeFile(file, JSON.stringify(modelsFile(upstream.url)))
  const settings = {
    MODELS_FILE: file,
    EMBEDDED_MODELS: 'off',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    NODE_ENV: 'test',
  }
  Object.assign(process.env, settings)
  await loadCatalogue()

  const stage = { upstream, accountId: '', secret: '', keyId: '', openAccount, call, streamed, spent }

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

  async function openAccount(credit: Usd) {
    const accountId = await makeAccount(database, { USD: credit })
    const { secret, id: keyId } = await createKey({ accountId, type: 'INFERENCE', description: 'test' })
    return { accountId, secret, keyId }
  }

  async function call(body: Record<string, unknown> = {}, { headers = {}, raw, signal }: Call = {}): Promise<Response> {
    const all = { authorization: `Bearer ${stage.secret}`, 'content-type': 'application/json', ...headers }
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const content = raw ?? JSON.stringify({ model: 'atlas', messages: [{ role: 'user', content: 'Hi' }], ...body })
    const url = 'http://localhost:3000/api/v1/chat/completions'
    const request = new Request(url, { method: 'POST', body: content, headers: sent, signal })
    return POST(request, { params: Promise.resolve({}) })
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

  return stage
}
