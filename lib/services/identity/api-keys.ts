import 'server-only'
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { ApiError } from '@/lib/contract/errors'
import { isUuid, uuid } from '@/lib/contract/ids'
import { MAX_KEY_DESCRIPTION_CHARS } from '@/lib/contract/limits'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { accounts, apiKeys } from '@/lib/db/schema/accounts'
import { log } from '@/lib/kernel/log'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import type { CredentialAccount } from '@/lib/services/identity/accounts'
import { createLookup, type Lookup } from '@/lib/services/identity/credential-lookup'
import { hashSecret, isWellFormed, newSecret } from '@/lib/services/identity/hashed-secrets'

export type KeyType = 'ADMIN' | 'INFERENCE'
type ModelPrivacy = 'ALL' | 'PRIVATE_TEXT' | 'PRIVATE_ONLY'
export type LimitPeriod = 'EPOCH' | 'MONTH' | 'LIFETIME'

/** Source: API contract, README 15. */
export const MAX_ACTIVE_KEYS = 500
const MAX_LISTED_KEYS = 1_000

const PREFIXES = { ADMIN: 'SERVICE_ADMIN_KEY_', INFERENCE: 'SERVICE_INFERENCE_KEY_' } as const satisfies Record<
  KeyType,
  string
>
const VISIBLE_CHARACTERS = 6

export type KeyRecord = {
  id: string
  accountId: string
  type: KeyType
  modelPrivacy: ModelPrivacy
  expiresAt?: Date
  rateMultiplier: number
  account: CredentialAccount
}

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
  const secret = newSecret(PREFIXES[key.type])
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
  keyLookup().forget(hexOf(row.hash))
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
  keyLookup().forget(hexOf(row.hash))
  return true
}

/**
 * Finds the key of a secret, unless it was revoked. An expired key is returned, with its date. Text that cannot be a
 * secret of ours never reaches the database.
 * @param isFresh asks the database even when the key is cached: for what must see a revocation by another process.
 */
export function verifyKey(secret: string, isFresh = false): KeyRecord | undefined | Promise<KeyRecord | undefined> {
  if (!isWellFormed(secret, PREFIXES.INFERENCE) && !isWellFormed(secret, PREFIXES.ADMIN)) return undefined
  return keyLookup().find(hashSecret(secret), isFresh)
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const LOOKUP = 'key-lookup'

export const forgetAllKeys = (): void => resetPerProcess(LOOKUP)

function keyLookup(): Lookup<KeyRecord> {
  return perProcess(LOOKUP, () => createLookup(loadKeys))
}

type LoadedKey = Omit<KeyRecord, 'account' | 'expiresAt'> &
  Omit<CredentialAccount, 'address'> & { hash: string; ref: string | null; expiresAtMs: number | null }

async function loadKeys(hashes: string[]): Promise<Map<string, KeyRecord>> {
  const { query } = await getDb()
  const rows = await query<LoadedKey>(
    `select q.hash, k.id, k.account_id as "accountId", k.type, k.model_privacy as "modelPrivacy",
            (extract(epoch from k.expires_at) * 1000)::float8 as "expiresAtMs",
            k.rate_multiplier * a.rate_multiplier as "rateMultiplier", a.kind, a.ref, a.status, a.is_pro as "isPro"
       from unnest($1::text[]) as q(hash)
       join api_key k on k.hash = decode(q.hash, 'hex')
       join account a on a.id = k.account_id
      where k.revoked_at is null`,
    [hashes],
  )
  return new Map(
    rows.map(({ hash, kind, ref, status, isPro, expiresAtMs, ...key }) => {
      const account = { kind, address: ref ?? undefined, status, isPro }
      return [hash, { ...key, expiresAt: expiresAtMs === null ? undefined : new Date(expiresAtMs), account }]
    }),
  )
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
