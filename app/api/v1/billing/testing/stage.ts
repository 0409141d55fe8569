import { beforeAll, beforeEach, expect } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { perMillion, perUnit, type Usd, usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import type { RouteHandler } from '@/lib/pipeline/route'
import { createKey } from '@/lib/services/identity/api-keys'
import { testAccount } from '@/lib/services/identity/testing'
import { capture, credit, flushCharges, hold } from '@/lib/services/ledger/ledger'
import type { Charge, Currency } from '@/lib/services/ledger/ledger-types'
import { chargeOf } from '@/lib/services/ledger/meter'
import { installModels, textModel } from '@/lib/services/models/testing/models'

/** The billing routes on a database of the file's own. Once per file, at its top; `charge` and `ledgerSum` read it. */
export async function billingStage(): Promise<Database> {
  const database = await testDatabase()
  beforeAll(() => installModels([textModel({ id: 'atlas', name: 'Atlas' })]))
  beforeEach(() => {
    for (const name of ['failure-budget', 'windows', 'limits', 'usage-analytics']) resetPerProcess(name)
  })
  return database
}

export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

export async function get(route: RouteHandler, path: string, headers: Record<string, string> = {}) {
  const url = `http://localhost:3000/api/v1/billing/${path}`
  const response = await route(new Request(url, { headers }), { params: Promise.resolve({}) })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

export async function manager() {
  const accountId = await testAccount()
  const key = await createKey({ accountId, type: 'ADMIN', description: 'night job' })
  return { accountId, key, headers: { authorization: `Bearer ${key.secret}` } }
}

export const give = (accountId: string, amount: Usd, currency: Currency = 'USD') =>
  credit({ accountId, currency, amount, kind: 'grant', idempotencyKey: uuid(), reason: 'test' })

/** An answer of the model: 412 tokens in and 500 out, at 1 and 3 dollars a million. 0.001912 USD. */
export const answer = (): Charge => ({
  ...chargeOf([
    { sku: 'atlas-llm-input-mtoken', units: 412, price: perMillion(1) },
    { sku: 'atlas-llm-output-mtoken', units: 500, price: perMillion(3) },
  ]),
  modelId: 'atlas',
  modelType: 'LLM',
  promptTokens: 412,
  completionTokens: 500,
  durationMs: 1_830,
})
export const rpcCall = (): Charge =>
  chargeOf([{ sku: 'crypto-rpc-base-mainnet', units: 20, price: perUnit(0.0000007) }])

/** Charges an account what is there for it, and says when. */
export async function charge(
  accountId: string,
  what: Charge,
  options: { keyId?: string; at?: string } = {},
): Promise<string> {
  const requestId = `chatcmpl-${uuid()}`
  const { keyId, at } = options
  await capture(await hold({ accountId, keyId, requestId, amount: what.amount }), what)
  await flushCharges()
  const database = await getDb()
  if (at)
    await database.query('update usage_record set at = $2::text::timestamptz where request_id = $1', [requestId, at])
  return requestId
}

/** What the ledger says an account was charged, in nano-dollars. */
export async function ledgerSum(accountId: string): Promise<bigint> {
  const database = await getDb()
  const [row] = await database.query<{ sum: string }>(
    `select coalesce(-sum(e.amount), 0)::text as sum from entry e join txn t on t.id = e.txn_id
     where e.account_id = $1 and t.kind = 'charge'`,
    [accountId],
  )
  return BigInt(row!.sum)
}

export const nanoOf = (decimal: string): bigint => -usd(decimal)
export const refused = (path: string[]) => ({
  status: 400,
  body: { code: 'INVALID_REQUEST', issues: [expect.objectContaining({ path })] },
})
