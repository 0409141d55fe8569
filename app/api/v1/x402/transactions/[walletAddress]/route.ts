import { usdNumber } from '@/lib/contract/money'
import { TransactionsQuery } from '@/lib/contract/x402.schema'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { readAsWallet } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { describeRpc, listTransactions } from '@/lib/services/usage/transactions'

// Source: API contract, x402.md 6.
async function list(context: RequestContext, request: Request, params: Params): Promise<Reply> {
  const { wallet, caller } = await readAsWallet(context, params, 'x402-transactions')
  const page = parseQuery(TransactionsQuery, request)
  const { currentBalance, transactions, hasMore } = await listTransactions(caller.accountId, page)
  // The header tells the balance of the same moment as the body.
  Object.assign(context.facts, { balanceUsd: currentBalance, balanceRemaining: currentBalance })
  const data = {
    walletAddress: wallet,
    currentBalance: usdNumber(currentBalance),
    transactions: transactions.map(({ amount, balanceAfter, rpc, ...transaction }) => ({
      ...transaction,
      amount: usdNumber(amount),
      balanceAfter: usdNumber(balanceAfter),
      description: rpc && describeRpc(rpc),
    })),
    pagination: { ...page, hasMore },
  }
  return uncachedJson({ success: true, data })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
