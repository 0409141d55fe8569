import 'server-only'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'

/**
 * `open`: still running or being settled. Otherwise `charged` is the total taken, 0 for a request that was free, failed
 * or never arrived.
 */
export type ChargeOfRequest =
  | { state: 'open' }
  | { state: 'settled'; charged: Usd; modelId?: string; inputTokens?: number; outputTokens?: number }

type Row = { open: boolean; charged: string; model: string | null; input: number | null; output: number | null }

export async function chargeOfRequest(accountId: string, requestId: string): Promise<ChargeOfRequest> {
  const { query } = await getDb()
  const [row] = await query<Row>(
    `select
      exists (select from hold where state = 'open' and account_id = $1 and request_id = $2) as open,
      (select coalesce(-sum(e.amount), 0)::text from txn t join entry e on e.txn_id = t.id
        where t.request_id = $2 and e.account_id = $1) as charged,
      u.model_id as model, u.prompt_tokens as input, u.completion_tokens as output
     from (select 1) one
     left join lateral (
       select * from usage_record where request_id = $2 and account_id = $1 order by at desc limit 1
     ) u on true`,
    [accountId, requestId],
  )
  if (!row || row.open) return { state: 'open' }
  return {
    state: 'settled',
    charged: nano(BigInt(row.charged)),
    ...(row.model !== null && { modelId: row.model }),
    ...(row.input !== null && { inputTokens: row.input }),
    ...(row.output !== null && { outputTokens: row.output }),
  }
}
