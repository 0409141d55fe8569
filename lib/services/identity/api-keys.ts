import 'server-only'
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { ApiError } from '@/lib/contract/errors'
import { isUuid, uuid } from '@/lib/contract/ids'
import { MAX_KEY_DESCRIPTION_CHARS } from '@/lib/contract/limits'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { accounts, apiKeys } from '@/lib/db/schema/accounts'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import {
  forgetKey,
  hashSecret,
  KEY_PREFIXES,
  type KeyType,
  type ModelPrivacy,
  newSecret,
} from '@/lib/services/identity/credentials'

export type LimitPeriod = 'EPOCH' | 'MONTH' | 'LIFETIME'

/** Source: API contract, README 15. */
export const MAX_ACTIVE_KEYS = 500
const MAX_LISTED_KEYS = 1_000
const VISIBLE_CHARACTERS = 6

/** Spending limits in nano-dollars; `null` or undefined: none. `usd` includes bundled credits. */
type KeyLimits = { usd?: Usd | null; diem?: Usd | null }

export type NewKey = {
  accountId: string
  type: KeyType
  description: string
  limits?: KeyLimits
  limitPeriod?: LimitPeriod
  modelPrivacy?: ModelPrivacy
  expiresAt?: Date | null
}

type KeyChanges = Partial<Omit<NewKey, 'accountId' | 'type'>>

export type ApiKey = Required<Omit<NewKey, 'limits' | 'expiresAt'>> & {
  id: string
  last6: string
  limits: { usd: Usd | null; diem: Usd | null }
  expiresAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

/**
 * Creates a key. The secret is in the result and nowhere else.
 * @throws ApiError INVALID_REQUEST when the account does not exist or has too many active keys.
 */
export async function createKey(key: NewKey): Promise<ApiKey & { secret: string }> {
  const secret = newSecret(KEY_PREFIXES[key.type])
  const row = await getDb().then(({ drizzle }) =>
    drizzle.transaction(async (tx) => {
      // Locks the account, so that two at once cannot both take its last place.
      const [account] = await tx
        .select({ id: accounts.id })
        .from(accounts)
        .where(eq(accounts.id, key.accountId))
        .for('update')
      if (!account) throw new ApiError('INVALID_REQUEST', `There is no account ${key.accountId}.`)
      if ((await tx.$count(apiKeys, isActive(key.accountId))) >= MAX_ACTIVE_KEYS) {
        throw new ApiError(
          'INVALID_REQUEST',
          `An account has at most ${MAX_ACTIVE_KEYS} active keys. Revoke one first.`,
        )
      }
      const [inserted] = await tx
        .insert(apiKeys)
        .values({
          id: uuid(),
          accountId: key.accountId,
          type: key.type,
          hash: Buffer.from(hashSecret(secret), 'hex'),
          last6: secret.slice(-VISIBLE_CHARACTERS),
          ...columnsOf(key),
        })
        .returning()
      return inserted!
    }),
  )
  return { ...apiKeyOf(row), secret }
}

export async function listKeys(accountId?: string): Promise<ApiKey[]> {
  const { drizzle } = await getDb()
  const rows = await drizzle
    .select()
    .from(apiKeys)
    .where(isActive(accountId))
    .orderBy(desc(apiKeys.createdAt))
    .limit(MAX_LISTED_KEYS)
  return rows.map(apiKeyOf)
}

export async function getKey(accountId: string, id: string): Promise<ApiKey | undefined> {
  if (!isUuid(id)) return undefined
  const { drizzle } = await getDb()
  const [row] = await drizzle
    .select()
    .from(apiKeys)
    .where(and(isActive(accountId), eq(apiKeys.id, id)))
  return row && apiKeyOf(row)
}

export async function updateKey(accountId: string, id: string, changes: KeyChanges): Promise<ApiKey | undefined> {
  if (!isUuid(id)) return undefined
  const set = columnsOf(changes)
  if (Object.keys(set).length === 0) return getKey(accountId, id)
  const { drizzle } = await getDb()
  const [row] = await drizzle
    .update(apiKeys)
    .set(set)
    .where(and(isActive(accountId), eq(apiKeys.id, id)))
    .returning()
  if (!row) return undefined
  forgetKey(row.hash)
  return apiKeyOf(row)
}

/**
 * Revokes a key: at once in this process, and in others with the next hold or management request, which ask the
 * database.
 * @param accountId of the key; left out by the operator, who may revoke any.
 * @returns false when there is no such active key.
 */
export async function revokeKey(id: string, accountId?: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const { drizzle } = await getDb()
  const owner = accountId === undefined ? undefined : eq(apiKeys.accountId, accountId)
  const [row] = await drizzle
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt), owner))
    .returning({ hash: apiKeys.hash })
  if (!row) return false
  forgetKey(row.hash)
  return true
}

const isActive = (accountId?: string) =>
  and(
    accountId === undefined ? undefined : eq(apiKeys.accountId, accountId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
  )

function columnsOf({ description, limits, limitPeriod, modelPrivacy, expiresAt }: KeyChanges) {
  return {
    ...(description !== undefined && { description: description.slice(0, MAX_KEY_DESCRIPTION_CHARS) }),
    ...(limits?.usd !== undefined && { limitUsd: limits.usd }),
    ...(limits?.diem !== undefined && { limitDiem: limits.diem }),
    ...(limitPeriod !== undefined && { limitPeriod }),
    ...(modelPrivacy !== undefined && { modelPrivacy }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

function apiKeyOf(row: typeof apiKeys.$inferSelect): ApiKey {
  return {
    id: row.id,
    accountId: row.accountId,
    type: row.type,
    description: row.description,
    last6: row.last6,
    limits: { usd: row.limitUsd as Usd | null, diem: row.limitDiem as Usd | null },
    limitPeriod: row.limitPeriod,
    modelPrivacy: row.modelPrivacy,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    createdAt: row.createdAt,
  }
}

export type KeyUse = { trailing: Sums; period: Sums }
type Sums = { usd: Usd; diem: Usd }

type Row = { id: string; usd: string; diem: string; periodUsd: string; periodDiem: string }

/**
 * Sums what the keys of an account spent. The seven days come from the ledger's entries; the period is what the ledger
 * counts against the key's limits.
 */
export async function keyUses(accountId: string, keyIds: string[]): Promise<Map<string, KeyUse>> {
  if (keyIds.length === 0) return new Map()
  const { query } = await getDb()
  const rows = await query<Row>(
    `with spent as (
       select u.key_id, sum(-e.amount) filter (where e.currency <> 'DIEM') as usd,
         sum(-e.amount) filter (where e.currency = 'DIEM') as diem
       from usage_record u join entry e on e.txn_id = u.txn_id and e.leg = 1
       where u.account_id = $1 and u.at >= now() - interval '7 days' and u.key_id = any($2::uuid[])
       group by u.key_id
     )
     select b.id, coalesce(s.usd, 0)::text as usd, coalesce(s.diem, 0)::text as diem,
       b.spent_usd::text as "periodUsd", b.spent_diem::text as "periodDiem"
     from key_budget b left join spent s on s.key_id = b.id
     where b.id = any($2::uuid[]) and b.account_id = $1`,
    [accountId, keyIds],
  )
  return new Map(
    rows.map(({ id, usd, diem, periodUsd, periodDiem }) => [
      id,
      { trailing: sums(usd, diem), period: sums(periodUsd, periodDiem) },
    ]),
  )
}

type RemainingLimits = { usd?: bigint; diem?: bigint }

/** Reads what is left of a key's limits; what processes lease for it is not spent. */
export async function remainingKeyLimits(keyId: string): Promise<RemainingLimits | undefined> {
  const { query } = await getDb()
  const [row] = await query<{ usd: string | null; diem: string | null }>(
    `select (b.left_usd + coalesce(sum(l.amount) filter (where l.currency <> 'DIEM'), 0))::text as usd,
       (b.left_diem + coalesce(sum(l.amount) filter (where l.currency = 'DIEM'), 0))::text as diem
     from key_budget b left join lease l on l.key_id = b.id
     where b.id = $1 group by b.left_usd, b.left_diem`,
    [keyId],
  )
  if (!row) return undefined
  return {
    ...(row.usd !== null && { usd: BigInt(row.usd) }),
    ...(row.diem !== null && { diem: BigInt(row.diem) }),
  }
}

const sums = (usd: string, diem: string): Sums => ({ usd: nano(BigInt(usd)), diem: nano(BigInt(diem)) })

const WRITE_EVERY_MS = 60_000
const MAX_WAITING = 10_000

type Uses = { waiting: Map<string, number>; timer?: NodeJS.Timeout }

export function noteUse(keyId: string, nowMs = Date.now()): void {
  const uses = state()
  uses.waiting.set(keyId, nowMs)
  if (uses.waiting.size >= MAX_WAITING) void saveLastUsed()
  else if (!uses.timer) uses.timer = setTimeout(saveLastUsed, WRITE_EVERY_MS).unref()
}

export async function saveLastUsed(): Promise<void> {
  const uses = state()
  clearTimeout(uses.timer)
  uses.timer = undefined
  if (uses.waiting.size === 0) return
  const rows = [...uses.waiting].map(([id, atMs]) => ({ id, at: new Date(atMs).toISOString() }))
  uses.waiting.clear()
  try {
    const { query } = await getDb()
    // Keys are locked in the order of their ids, as the ledger does: two batches can then never wait for each other.
    await query(
      `with used as (select * from jsonb_to_recordset($1::jsonb) as u(id uuid, at timestamptz)),
            locked as (select k.id from api_key k where k.id in (select id from used) order by k.id for no key update)
       update api_key k set last_used_at = greatest(k.last_used_at, u.at)
         from used u join locked l on l.id = u.id where k.id = u.id`,
      [JSON.stringify(rows)],
    )
  } catch (error) {
    log().warn({ err: error, keys: rows.length }, 'the last use of some keys could not be saved')
  }
}

const state = (): Uses => perProcess('last-used', () => ({ waiting: new Map() }))
