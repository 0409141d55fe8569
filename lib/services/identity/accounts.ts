import 'server-only'
import { eq, or } from 'drizzle-orm'
import { walletId } from '@/lib/contract/chains'
import { isUuid, uuid } from '@/lib/contract/ids'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { accounts } from '@/lib/db/schema/accounts'
import { type AccountStatus, forgetAllCredentials } from '@/lib/services/identity/credentials'

export type Account = typeof accounts.$inferSelect

export async function createAccount(kind: 'account' | 'guest', name: string): Promise<string> {
  const id = uuid()
  const { drizzle } = await getDb()
  await drizzle.insert(accounts).values({ id, kind, name })
  return id
}

export async function findAccount(idOrWallet: string): Promise<Account | undefined> {
  const { drizzle } = await getDb()
  const isWallet = eq(accounts.ref, walletId(idOrWallet))
  const [account] = await drizzle
    .select()
    .from(accounts)
    .where(isUuid(idOrWallet) ? or(eq(accounts.id, idOrWallet), isWallet) : isWallet)
    .limit(1)
  return account
}

export type AccountSummary = Pick<
  Account,
  'id' | 'kind' | 'name' | 'status' | 'isPro' | 'rateMultiplier' | 'createdAt'
> & {
  wallet: string | null
  balance: { usd: Usd; diem: Usd; held: Usd }
  activeKeys: number
  lastUsedAt: Date | null
}

type AccountFilter = { id?: string; kind?: Account['kind']; status?: AccountStatus; limit: number }

type SummaryRow = Omit<AccountSummary, 'wallet' | 'balance' | 'createdAt' | 'lastUsedAt'> & {
  ref: string | null
  usd: string
  diem: string
  held: string
  createdAtMs: number
  lastUsedAtMs: number | null
}

export async function listAccounts({ id, kind, status, limit }: AccountFilter): Promise<AccountSummary[]> {
  const { query } = await getDb()
  const rows = await query<SummaryRow>(
    `select a.id, a.kind, a.ref, a.name, a.status, a.is_pro as "isPro", a.rate_multiplier as "rateMultiplier",
            (extract(epoch from a.created_at) * 1000)::float8 as "createdAtMs",
            b.usd, b.diem, b.held, k.active as "activeKeys", (extract(epoch from k.used) * 1000)::float8 as "lastUsedAtMs"
       from (select * from account
              where ($1::uuid is null or id = $1) and ($2::text is null or kind = $2) and ($3::text is null or status = $3)
              order by created_at desc, id limit $4) a
      cross join lateral (
        select coalesce(sum(posted - held + leased) filter (where currency <> 'DIEM'), 0)::text as usd,
               coalesce(sum(posted - held + leased) filter (where currency = 'DIEM'), 0)::text as diem,
               coalesce(sum(held - leased), 0)::text as held
          from balance p
          cross join lateral (
            select coalesce(sum(l.amount), 0) as leased from lease l
             where l.account_id = p.account_id and l.currency = p.currency) l
         where p.account_id = a.id) b
      cross join lateral (
        select (count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())))::int as active,
               max(last_used_at) as used
          from api_key where account_id = a.id) k
      order by a.created_at desc, a.id`,
    [id ?? null, kind ?? null, status ?? null, limit],
  )
  return rows.map(({ ref, usd, diem, held, createdAtMs, lastUsedAtMs, ...row }) => ({
    ...row,
    wallet: ref,
    balance: { usd: nano(BigInt(usd)), diem: nano(BigInt(diem)), held: nano(BigInt(held)) },
    createdAt: new Date(createdAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : new Date(lastUsedAtMs),
  }))
}

export async function updateAccount(
  id: string,
  changes: Partial<Pick<Account, 'status' | 'isPro' | 'rateMultiplier'>>,
): Promise<void> {
  const { drizzle } = await getDb()
  await drizzle.update(accounts).set(changes).where(eq(accounts.id, id))
  forgetAllCredentials()
}
