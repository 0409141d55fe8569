import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { Usd } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import type { Balances, Currency } from '@/lib/services/ledger/hold'
import { toBalances } from '@/lib/services/ledger/statements'

export type Credit = {
  accountId: string
  currency: Currency
  amount: Usd
  kind: 'credit' | 'grant' | 'refund'
  /** Makes it happen once: `topup:<key>`, `admin:<uuid>`. */
  idempotencyKey: string
  reason?: string
}

/** Where the money comes from: paid in, given by the house, or given back from what the house earned. */
const HOUSE = { credit: 'clearing', grant: 'promotion', refund: 'revenue' } as const

/**
 * Gives an account money. The same credit again changes nothing.
 *
 * @returns what the account may spend now.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED when the key was used for another credit.
 */
export async function giveCredit(database: Database, credit: Credit): Promise<Balances> {
  const { accountId, currency, amount, kind, idempotencyKey, reason } = credit
  if (amount <= 0n) throw new RangeError(`${amount}: a credit is positive`)
  const [row] = await database.query<{ outcome: 'applied' | 'repeated' | 'reused'; balances: Record<string, string> }>(
    'select outcome, balances from credit($1::uuid, $2, $3::bigint, $4, $5, $6, $7)',
    [accountId, currency, amount.toString(), kind, HOUSE[kind], idempotencyKey, reason ?? null],
  )
  if (row === undefined || row.outcome === 'reused') {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', `The key ${idempotencyKey} was used for another credit.`)
  }
  return toBalances(row.balances)
}
