import 'server-only'
import { hash as digest } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { ApiError } from '@/lib/contract/errors'
import { randomText } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import type { accounts } from '@/lib/db/schema/accounts'
import { BoundedCache } from '@/lib/kernel/expiring-maps'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'

export type KeyType = 'ADMIN' | 'INFERENCE'
export type ModelPrivacy = 'ALL' | 'PRIVATE_TEXT' | 'PRIVATE_ONLY'

export const KEY_PREFIXES = {
  ADMIN: 'SERVICE_ADMIN_KEY_',
  INFERENCE: 'SERVICE_INFERENCE_KEY_',
} as const satisfies Record<KeyType, string>
export const SESSION_PREFIX = 'service_session_'

export type AccountStatus = 'active' | 'disabled' | 'inactive'

/** What a credential tells of its account. `address` is a wallet's. */
type CredentialAccount = Pick<typeof accounts.$inferSelect, 'kind' | 'status' | 'isPro'> & { address?: string }

export type KeyRecord = {
  id: string
  accountId: string
  type: KeyType
  modelPrivacy: ModelPrivacy
  expiresAt?: Date
  rateMultiplier: number
  account: CredentialAccount
}

export type Session = {
  id: string
  accountId: string
  kind: 'guest' | 'wallet' | 'account'
  expiresAt: Date
  rateMultiplier: number
  account: CredentialAccount
}

/**
 * Finds the key of a secret, unless it was revoked. An expired key is returned, with its date. Text that cannot be a
 * secret of ours never reaches the database.
 * @param isFresh asks the database even when the key is cached: for what must see a revocation by another process.
 */
export function verifyKey(secret: string, isFresh = false): KeyRecord | undefined | Promise<KeyRecord | undefined> {
  if (!isWellFormed(secret, KEY_PREFIXES.INFERENCE) && !isWellFormed(secret, KEY_PREFIXES.ADMIN)) return undefined
  return keyLookup().find(hashSecret(secret), isFresh)
}

const KEY_LOOKUP = 'key-lookup'
const keyLookup = (): Lookup<KeyRecord> => perProcess(KEY_LOOKUP, () => createLookup(loadKeys))

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

export async function verifySession(secret: string, nowMs = Date.now()): Promise<Session | undefined> {
  if (!isWellFormed(secret, SESSION_PREFIX)) return undefined
  const session = await sessionLookup().find(hashSecret(secret))
  return session && session.expiresAt.getTime() > nowMs ? session : undefined
}

const SESSION_LOOKUP = 'session-lookup'
const sessionLookup = (): Lookup<Session> => perProcess(SESSION_LOOKUP, () => createLookup(loadSessions))

type LoadedSession = Omit<Session, 'account' | 'expiresAt'> &
  Omit<CredentialAccount, 'address' | 'kind'> & {
    hash: string
    expiresAtMs: number
    accountKind: CredentialAccount['kind']
    ref: string | null
  }

async function loadSessions(hashes: string[]): Promise<Map<string, Session>> {
  const { query } = await getDb()
  const rows = await query<LoadedSession>(
    `select q.hash, s.id, s.account_id as "accountId", s.kind, (extract(epoch from s.expires_at) * 1000)::float8 as "expiresAtMs",
            a.rate_multiplier as "rateMultiplier", a.kind as "accountKind", a.ref, a.status, a.is_pro as "isPro"
       from unnest($1::text[]) as q(hash)
       join session s on s.hash = decode(q.hash, 'hex')
       join account a on a.id = s.account_id
      where s.revoked_at is null`,
    [hashes],
  )
  return new Map(
    rows.map(({ hash, expiresAtMs, accountKind, ref, status, isPro, ...session }) => {
      const account = { kind: accountKind, address: ref ?? undefined, status, isPro }
      return [hash, { ...session, expiresAt: new Date(expiresAtMs), account }]
    }),
  )
}

export const forgetKey = (hash: Uint8Array): void => keyLookup().forget(hexOf(hash))

export function forgetSessions(hashes: Uint8Array[]): void {
  for (const hash of hashes) sessionLookup().forget(hexOf(hash))
}

export function forgetAllCredentials(): void {
  resetPerProcess(KEY_LOOKUP)
  resetPerProcess(SESSION_LOOKUP)
}

/** Copies, because PGlite gives plain bytes, whose `toString` knows no hex. */
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const TTL_MS = 5_000
const MAX_CACHED = 10_000
const MAX_BATCH = 500
const MAX_WAITING = 10_000

type Load<T> = (hashes: string[]) => Promise<Map<string, T>>

type Lookup<T> = {
  find(hash: string, isFresh?: boolean): T | undefined | Promise<T | undefined>
  /** Drops what is known, also from a statement under way: its answer may be from before the change. */
  forget(hash: string): void
}

type Batch<T> = Map<string, PromiseWithResolvers<T | undefined>>

/**
 * Looks credentials up by hash. Good and bad answers are cached apart, so that guessing cannot push out what is in use,
 * and the misses of one moment share a statement. Uses a monotonic clock, so that a revoked key is never believed for
 * longer.
 */
export function createLookup<T>(load: Load<T>, now: () => number = () => performance.now()): Lookup<T> {
  const found = new BoundedCache<string, T>(MAX_CACHED, TTL_MS)
  const missing = new BoundedCache<string, true>(MAX_CACHED, TTL_MS)
  const waiting: Batch<T> = new Map()
  let underWay: Batch<T> = new Map()
  let isRunning = false

  return {
    find(hash, isFresh = false) {
      const nowMs = now()
      const known = isFresh ? undefined : found.get(hash, nowMs)
      if (known !== undefined) return known
      if (missing.get(hash, nowMs)) return undefined
      // A fresh question must not get the answer of a statement that began before it was asked.
      const running = isFresh ? undefined : underWay.get(hash)
      return (running ?? enqueue(hash)).promise
    },
    forget(hash) {
      found.delete(hash)
      missing.delete(hash)
      underWay.delete(hash)
    },
  }

  function enqueue(hash: string) {
    const joined = waiting.get(hash)
    if (joined) return joined
    if (waiting.size >= MAX_WAITING) {
      throw new ApiError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once. Try again in a moment.', {
        retryAfterSeconds: 1,
      })
    }
    const entry = Promise.withResolvers<T | undefined>()
    waiting.set(hash, entry)
    if (!isRunning) {
      isRunning = true
      setImmediate(drain)
    }
    return entry
  }

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const batch: Batch<T> = new Map([...waiting].slice(0, MAX_BATCH))
      for (const hash of batch.keys()) waiting.delete(hash)
      underWay = new Map(batch)
      await answer(batch)
      underWay = new Map()
    }
    isRunning = false
  }

  async function answer(batch: Batch<T>): Promise<void> {
    try {
      const records = await load([...batch.keys()])
      const nowMs = now()
      for (const [hash, entry] of batch) {
        const record = records.get(hash)
        // Forgotten while the statement ran: answer those who asked before, keep nothing.
        if (underWay.has(hash)) {
          if (record === undefined) missing.set(hash, true, nowMs)
          else found.set(hash, record, nowMs)
        }
        if (record === undefined) found.delete(hash)
        entry.resolve(record)
      }
    } catch (error) {
      for (const entry of batch.values()) entry.reject(error)
    }
  }
}

/** 255 random bits: beyond guessing, so that a fast hash is enough to store. */
const RANDOM_CHARACTERS = 43
/**
 * A CRC-32 in base 62: leak scanners tell a real secret from a look-alike, and typing errors never reach the database.
 */
const CHECKSUM_CHARACTERS = 6
const BODY = new RegExp(`^[A-Za-z0-9]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`)
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newSecret(prefix: string): string {
  const open = prefix + randomText(RANDOM_CHARACTERS)
  return open + checksum(open)
}

export function isWellFormed(secret: string, prefix: string): boolean {
  if (secret.length !== prefix.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) return false
  if (!secret.startsWith(prefix) || !BODY.test(secret.slice(prefix.length))) return false
  return secret.endsWith(checksum(secret.slice(0, -CHECKSUM_CHARACTERS)))
}

export const hashSecret = (secret: string): string => digest('sha256', secret, 'hex')

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
