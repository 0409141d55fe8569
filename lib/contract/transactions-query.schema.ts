import { z } from 'zod'

/** The database reads what comes before, too. Who has a longer history downloads it. */
const MAX_OFFSET = 10_000

const count = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)

/** Query of `GET /x402/transactions/{walletAddress}`. Source: API contract, x402.md 6. */
export const TransactionsQuery = z.object({ limit: count(1, 100, 50), offset: count(0, MAX_OFFSET, 0) })
