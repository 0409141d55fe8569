import { hex, uuid } from '@/lib/contract/ids'
import { nano, pico } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import type { Charge, Currency } from '@/lib/services/ledger/ledger-types'

type KeyLimits = { usd?: bigint; diem?: bigint; period?: 'EPOCH' | 'MONTH' | 'LIFETIME' }

export async function makeAccount(database: Database, credit: Partial<Record<Currency, bigint>> = {}): Promise<string> {
  const id = uuid()
  await database.query('insert into account (id, kind) values ($1, $2)', [id, 'account'])
  for (const [currency, amount] of Object.entries(credit)) {
    await database.query('select credit($1::uuid, $2, $3::bigint, $4, $5, $6, null)', [
      id,
      currency,
      amount.toString(),
      'grant',
      'promotion',
      `test:${uuid()}`,
    ])
  }
  return id
}

export async function makeKey(database: Database, accountId: string, limits: KeyLimits = {}): Promise<string> {
  const id = uuid()
  await database.query(
    `insert into api_key (id, account_id, type, hash, last6, limit_usd, limit_diem, limit_period)
     values ($1, $2, 'INFERENCE', decode($3, 'hex'), 'abcdef', $4::bigint, $5::bigint, $6)`,
    [id, accountId, hex(32), limits.usd?.toString() ?? null, limits.diem?.toString() ?? null, limits.period ?? 'EPOCH'],
  )
  return id
}

export function chargeOfNano(amount: bigint): Charge {
  const line = { sku: 'test-unit', units: Number(amount), price: pico(1_000n), amount: nano(amount) }
  return {
    amount: nano(amount),
    lines: [line],
    modelId: 'test',
    modelType: 'text',
    promptTokens: 1,
    completionTokens: 2,
  }
}
