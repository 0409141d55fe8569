import { POST as openSession } from '@/app/api/session/route'
import { getDb } from '@/lib/db/client'
import type { Params } from '@/lib/kernel/request-context'
import type { RouteHandler } from '@/lib/pipeline/route'
import { createKey } from '@/lib/services/identity/api-keys'
import { testAccount } from '@/lib/services/identity/testing'

const ORIGIN = 'http://localhost:3000'

export type Options = {
  method?: string
  body?: unknown
  params?: Params
  headers?: Record<string, string>
}

export async function call(handler: RouteHandler, path: string, options: Options = {}): Promise<Response> {
  const { method = 'GET', body, params = {}, headers = {} } = options
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
  const request = new Request(ORIGIN + path, {
    method,
    headers: { ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : isRaw ? (body as BodyInit) : JSON.stringify(body),
  })
  return handler(request, { params: Promise.resolve(params) })
}

export async function guest(): Promise<{ accountId: string; headers: { cookie: string; origin: string } }> {
  const opened = await call(openSession, '/api/session', { method: 'POST', headers: { origin: ORIGIN } })
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { session } = (await opened.json()) as { session: { id: string } }
  const { query } = await getDb()
  const [row] = await query<{ id: string }>('select account_id::text as id from session where id = $1', [session.id])
  return { accountId: row?.id ?? '', headers: { cookie, origin: ORIGIN } }
}

export async function client(type: 'ADMIN' | 'INFERENCE' = 'INFERENCE') {
  const accountId = await testAccount()
  const { secret } = await createKey({ accountId, type, description: 'test' })
  return { accountId, headers: { authorization: `Bearer ${secret}` } }
}
