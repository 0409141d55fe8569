import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { accounts } from '@/lib/db/schema/accounts'
import { config, parseConfig } from '@/lib/kernel/config'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'

type ContextOptions = { path?: string; method?: string; clientAddress?: string; headers?: Record<string, string> }

let addresses = 0

export function testContext({ path, method, clientAddress, headers }: ContextOptions = {}): RequestContext {
  addresses++
  return {
    id: '0123456789abcdef-LOC',
    startedAt: Date.now(),
    method: method ?? 'POST',
    path: path ?? '/api/v1/chat/completions',
    headers: new Headers(headers),
    clientAddress: clientAddress ?? `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
    signal: new AbortController().signal,
    facts: {},
  }
}

export function testCaller(changes: Partial<Caller> = {}): Caller {
  const via = { type: 'key', keyId: uuid(), keyType: 'INFERENCE', modelPrivacy: 'ALL' } as const
  return { accountId: uuid(), kind: 'account', isPro: false, rateMultiplier: 1, via, ...changes }
}

export async function testAccount(values: Partial<typeof accounts.$inferInsert> = {}): Promise<string> {
  const id = uuid()
  const { drizzle } = await getDb()
  await drizzle.insert(accounts).values({ id, kind: 'account', ...values })
  return id
}

export function setEnvironment(variables: Record<string, string>): void {
  Object.assign(process.env, variables)
  const holder = globalThis as { __serviceConfig?: ReturnType<typeof parseConfig> }
  holder.__serviceConfig = undefined
}

export async function withEnvironment<T>(variables: Record<string, string>, run: () => T | Promise<T>): Promise<T> {
  const holder = globalThis as { __serviceConfig?: ReturnType<typeof parseConfig> }
  const before = config()
  holder.__serviceConfig = parseConfig(variables)
  try {
    return await run()
  } finally {
    holder.__serviceConfig = before
  }
}
