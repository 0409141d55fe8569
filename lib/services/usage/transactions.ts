import 'server-only'
import { nano, type Usd } from '@/lib/contract/money'
import { networkOf } from '@/lib/contract/rpc-networks'
import { getDb } from '@/lib/db/client'
import { balancesOf, flushCharges } from '@/lib/services/ledger/ledger'
import type { CallCounts } from '@/lib/services/ledger/ledger-types'
import { creditOf } from '@/lib/services/ledger/ledger-types'
import { RPC_SKU } from '@/lib/services/usage/units'

type Transaction = {
  id: string
  amount: Usd
  balanceAfter: Usd
  type: 'TOP_UP' | 'CHARGE' | 'REFUND'
  createdAt: string
  requestId: string | null
  modelId: string | null
  rpc: { network: string; calls: CallCounts } | null
}

type TransactionPage = { currentBalance: Usd; transactions: Transaction[]; hasMore: boolean }

type Row = {
  txn: string
  part: number
  amount: string
  after: string
  kind: 'credit' | 'charge' | 'refund' | 'grant' | 'expire' | 'reversal'
  at: string
  request: string | null
  model: string | null
  sku: string | null
  calls: CallCounts | null
}

/**
 * One movement a row; a charge for several things (the model, a search) has a row for each. Balances are told backwards
 * from what is there now, all in one moment, so that a row's balance is that of the row before it in time and its amount.
 * The daily credit of staked tokens is no part of it: that is money of another kind, which comes and goes by the day.
 */
const PAGE = `
  with total as (
    select coalesce(sum(b.posted), 0) as posted from balance b where b.account_id = $1 and b.currency <> 'DIEM'
  ),
  recent as (
    select e.txn_id, e.seq, e.at, e.amount, (select t.posted from total t)
      - coalesce(sum(e.amount) over (order by e.seq desc rows between unbounded preceding and 1 preceding), 0) as after
    from (
      select * from entry where account_id = $1 and currency <> 'DIEM' order by seq desc limit $2::int + $3::int
    ) e
  ),
  page as (
    select r.txn_id as txn, r.seq, coalesce(p.place, 1)::int as part, coalesce(-p.amount, r.amount)::text as amount,
      (r.after + coalesce(p.later, 0))::text as after, t.kind, u.model_id as model, p.sku, p.calls,
      t.request_id as request,
      to_char(r.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
    from recent r
    join txn t on t.id = r.txn_id
    left join usage_record u on u.txn_id = r.txn_id
    left join lateral (
      select row_number() over (order by g.n) as place, g.amount, g.sku, g.calls,
        sum(g.amount) over (order by g.n desc rows between unbounded preceding and 1 preceding) as later
      from (
        select min(l.n) as n, sum((l.line ->> 'amount')::bigint) as amount,
          min(l.line ->> 'sku') as sku, min((l.line -> 'calls')::text)::jsonb as calls
        from jsonb_array_elements(u.lines) with ordinality as l(line, n)
        group by case when starts_with(l.line ->> 'sku', u.model_id || '-') then '' else l.line ->> 'sku' end
      ) g
      where g.amount > 0
    ) p on true
    order by r.seq desc, part desc
    limit $2 offset $3
  )
  select p.txn, p.part, p.amount, p.after, p.kind, p.model, p.sku, p.calls, p.request, p.at
  from page p
  order by p.seq desc, p.part desc`

export async function listTransactions(
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<TransactionPage> {
  await flushCharges()
  const { query } = await getDb()
  const [balances, rows] = await Promise.all([
    balancesOf(accountId),
    // One more than asked for says whether there are more.
    query<Row>(PAGE, [accountId, limit + 1, offset]),
  ])
  return {
    currentBalance: creditOf(balances),
    transactions: rows.slice(0, limit).map(transactionOf),
    hasMore: rows.length > limit,
  }
}

function transactionOf({ txn, part, amount, after, kind, at, request, model, sku, calls }: Row): Transaction {
  return {
    id: `ledger_${txn.replaceAll('-', '')}${part > 1 ? `_${part}` : ''}`,
    amount: nano(BigInt(amount)),
    balanceAfter: nano(BigInt(after)),
    type: TYPES[kind],
    createdAt: at,
    requestId: request,
    modelId: model,
    rpc: sku?.startsWith(RPC_SKU) ? { network: sku.slice(RPC_SKU.length), calls: calls ?? {} } : null,
  }
}

/**
 * The contract knows three types. What the house gave counts as a top-up; a payment that its chain took back is a
 * negative top-up, so that all top-ups together are what was really paid in.
 */
const TYPES = {
  credit: 'TOP_UP',
  grant: 'TOP_UP',
  reversal: 'TOP_UP',
  expire: 'TOP_UP',
  charge: 'CHARGE',
  refund: 'REFUND',
} as const satisfies Record<Row['kind'], Transaction['type']>

const MAX_NAMED = 3

/**
 * Describes a charge in a few words that need no translation: calls that ran at the same moment share one.
 *
 * @example describeRpc({ network: 'arbitrum-mainnet', calls: { eth_blockNumber: 18, eth_call: 1 } }) //
 * 'eth_blockNumber ×18, eth_call · Arbitrum'
 */
export function describeRpc({ network, calls }: { network: string; calls: Readonly<Record<string, number>> }): string {
  const known = networkOf(network)
  const place = known ? `${known.group}${known.isTestnet ? ` ${known.name}` : ''}` : network
  const methods = Object.entries(calls).sort(([a, often], [b, seldom]) => seldom - often || a.localeCompare(b))
  const names = methods.slice(0, MAX_NAMED).map(([method, count]) => (count > 1 ? `${method} ×${count}` : method))
  const more = methods.length > MAX_NAMED ? [`+${methods.length - MAX_NAMED}`] : []
  return `${names.length === 0 ? 'JSON-RPC' : [...names, ...more].join(', ')} · ${place}`
}
