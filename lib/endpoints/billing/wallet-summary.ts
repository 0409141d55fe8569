import 'server-only'
import type { TopUpSummary, WalletSummary } from '@/lib/contract/billing'
import { familyOf, NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { nano, usdNumber } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { balancesOf, flushCharges } from '@/lib/services/ledger/ledger'
import type { Balances } from '@/lib/services/ledger/ledger-types'
import { canConsume, creditOf } from '@/lib/services/ledger/ledger-types'
import { type AllowanceState, allowanceOf } from '@/lib/services/payments/staking'

const RECENT_ANSWERS = 20
const MAX_TOP_UPS = 20
const UNDER_WAY = `('received', 'settling', 'unknown', 'confirming')`

/** Reads what the wallet page shows. Refresh the daily credit first. */
export async function summaryOf(accountId: string): Promise<WalletSummary> {
  await flushCharges()
  const [account, balances, allowance, usage] = await Promise.all([
    readAccount(accountId),
    balancesOf(accountId),
    allowanceOf(accountId),
    readUsage(accountId),
  ])
  const topUps = account.address === null ? [] : await readTopUps(account.address)
  const { kind, address, posted } = account
  const spendable = creditOf(balances) + balances.DIEM
  return {
    wallet: { kind, address, family: address === null ? null : (familyOf(address) ?? null) },
    balance: {
      usd: usdNumber(creditOf(balances)),
      diem: usdNumber(balances.DIEM),
      // What running requests and jobs have set aside.
      held: usdNumber(nano(BigInt(posted) - spendable)),
      canConsume: canConsume(balances),
    },
    allowance: allowance ? showAllowance(allowance, balances) : null,
    usage: {
      averageCost: usage.average === null ? null : dollars(usage.average),
      answersLeft: usage.average === null ? null : Number(spendable / BigInt(usage.average)),
      spentToday: { usd: dollars(usage.usd), diem: dollars(usage.diem) },
    },
    topUps,
  }
}

function showAllowance({ staked, granted, refreshesAt }: AllowanceState, { DIEM }: Balances) {
  return {
    staked: staked === undefined ? null : usdNumber(staked),
    granted: usdNumber(granted),
    left: usdNumber(DIEM),
    refreshesAt: refreshesAt.toISOString(),
  }
}

type Account = { kind: WalletSummary['wallet']['kind']; address: string | null; posted: string }

async function readAccount(accountId: string): Promise<Account> {
  const { query } = await getDb()
  const [row] = await query<Account>(
    `select a.kind, a.ref as address,
      (select coalesce(sum(b.posted), 0)::text from balance b where b.account_id = a.id) as posted
     from account a where a.id = $1`,
    [accountId],
  )
  if (!row) throw new Error(`there is no account ${accountId}`)
  return row
}

// Nano-dollars.
type Usage = { average: string | null; usd: string; diem: string }

async function readUsage(accountId: string): Promise<Usage> {
  const { query } = await getDb()
  const [row] = await query<Usage>(
    `select
      (select ceil(avg(-e.amount))::text from (
        select u.txn_id from usage_record u where u.account_id = $1 order by u.at desc limit ${RECENT_ANSWERS}
      ) recent join entry e on e.txn_id = recent.txn_id and e.leg = 1) as average,
      coalesce(sum(-e.amount) filter (where e.currency <> 'DIEM'), 0)::text as usd,
      coalesce(sum(-e.amount) filter (where e.currency = 'DIEM'), 0)::text as diem
     from usage_record u join entry e on e.txn_id = u.txn_id and e.leg = 1
     where u.account_id = $1 and u.at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`,
    [accountId],
  )
  if (!row) throw new Error('the database gave no sum')
  return row
}

async function readTopUps(payer: string): Promise<TopUpSummary[]> {
  const { query } = await getDb()
  type Row = Omit<TopUpSummary, 'amount' | 'createdAt'> & { units: string; createdAtMs: number }
  const rows = await query<Row>(
    `select id as "paymentId", state, network, amount::text as units, transaction, reason,
      (extract(epoch from created_at) * 1000)::float8 as "createdAtMs"
     from payment where payer = $1
     order by state in ${UNDER_WAY} desc, created_at desc limit ${MAX_TOP_UPS}`,
    [payer],
  )
  return rows.map(({ units, createdAtMs, ...payment }) => ({
    ...payment,
    amount: usdNumber(nano(BigInt(units) * NANO_PER_USDC_UNIT)),
    createdAt: new Date(createdAtMs).toISOString(),
  }))
}

const dollars = (amount: string): number => usdNumber(nano(BigInt(amount)))
