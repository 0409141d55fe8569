import { z } from 'zod'
import { endpoint, type Params } from '@/lib/api/endpoint'
import { parseQuery } from '@/lib/api/query'
import { jsonReply, type Reply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { readAsWallet } from '@/lib/api/wallet-read'
import { listTransactions } from '@/lib/billing/transactions'
import type { RequestContext } from '@/lib/core/context'
import { usdNumber } from '@/lib/core/money'

/** The database reads what comes before, too. Who has a longer history downloads it. */
const MAX_OFFSET = 10_000

const count = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)
const Page = z.object({ limit: count(1, 100, 50), offset: count(0, MAX_OFFSET, 0) })

/** The movements of a wallet's credit, newest first. Source: API contract, x402.md 6. */
async function list(context: RequestContext, request: Request, params: Params): Promise<Reply> {
  const { wallet, caller } = await readAsWallet(context, params, 'x402-transactions')
  const page = parseQuery(Page, request)
  const { currentBalance, transactions, hasMore } = await listTransactions(caller.accountId, page)
  const data = {
    walletAddress: wallet,
    currentBalance: usdNumber(currentBalance),
    transactions: transactions.map(({ amount, balanceAfter, ...transaction }) => ({
      ...transaction,
      amount: usdNumber(amount),
      balanceAfter: usdNumber(balanceAfter),
    })),
    pagination: { ...page, hasMore },
  }
  return jsonReply({ success: true, data }, { headers: { 'Cache-Control': 'no-store' } })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: endpoint(list) })
