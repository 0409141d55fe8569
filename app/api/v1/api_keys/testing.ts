import { beforeAll, beforeEach } from 'vitest'
import { POST } from '@/app/api/v1/api_keys/route'
import { uuid } from '@/lib/contract/ids'
import type { Usd } from '@/lib/contract/money'
import { resetPerProcess } from '@/lib/kernel/per-process'
import type { RouteHandler } from '@/lib/pipeline/route'
import { createKey } from '@/lib/services/identity/api-keys'
import { testAccount } from '@/lib/services/identity/testing'
import { capture, credit, flushCharges, hold } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'
import { installModels, textModel } from '@/lib/services/models/testing/models'

export const ORIGIN = 'http://localhost:3000'

/** What each test begins with: models of three sorts, and nothing that was counted before. Once per file, at its top. */
export function prepareKeyTests(): void {
  beforeAll(() =>
    installModels([
      textModel({ id: 'atlas-large', tier: 'L' }),
      textModel({ id: 'elsewhere', tier: 'XS', privacy: 'anonymized' }),
      textModel({ id: 'for-pro', access: 'pro' }),
    ]),
  )
  beforeEach(() => {
    for (const name of ['failure-budget', 'windows', 'limits']) resetPerProcess(name)
  })
}

export type Sent = { method?: string; headers?: Record<string, string>; body?: unknown; id?: string; query?: string }

/** One request to a route, as the server hands it on. */
export async function call(
  route: RouteHandler,
  path: string,
  { method = 'GET', headers = {}, body, id, query = '' }: Sent,
) {
  const request = new Request(`${ORIGIN}/api/v1${path}${query}`, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const response = await route(request, { params: Promise.resolve(id === undefined ? {} : { id }) })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** A new account with a key of its own, and the headers that use the key. */
export async function manager(type: 'ADMIN' | 'INFERENCE' = 'ADMIN') {
  const accountId = await testAccount()
  const key = await createKey({ accountId, type, description: 'manager' })
  return { accountId, key, headers: { authorization: `Bearer ${key.secret}` } }
}

/** Makes a key as a client does. */
export const make = (headers: Record<string, string>, body: object) =>
  call(POST, '/api_keys', { method: 'POST', headers, body: { apiKeyType: 'INFERENCE', description: 'job', ...body } })

/** Gives the account an amount and spends it with the key. */
export async function spend(accountId: string, keyId: string, amount: Usd, currency: 'USD' | 'DIEM' = 'USD') {
  await credit({ accountId, currency, amount, kind: 'grant', idempotencyKey: uuid(), reason: 'test' })
  await capture(await hold({ accountId, keyId, requestId: uuid(), amount }), chargeOfNano(amount))
  await flushCharges()
}
