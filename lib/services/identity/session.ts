import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { sessions } from '@/lib/db/schema/accounts'
import { config } from '@/lib/kernel/config'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type CredentialAccount, createAccount } from '@/lib/services/identity/accounts'
import { createLookup, type Lookup } from '@/lib/services/identity/credential-lookup'
import { hashSecret, isWellFormed, newSecret } from '@/lib/services/identity/hashed-secrets'
import { countNewGuest } from '@/lib/services/identity/new-guest-limit'
import { isSameOrigin, ownCookie } from '@/lib/services/identity/same-origin-cookie'
import { AUTHENTICATION_FAILED } from '@/lib/services/limits/failed-requests'

const LIFETIME_MS = { guest: 30 * 86_400_000, wallet: 86_400_000 } as const
const EXTEND_EVERY_MS = 86_400_000
const PREFIX = 'service_session_'

export type Session = {
  id: string
  accountId: string
  kind: 'guest' | 'wallet' | 'account'
  expiresAt: Date
  rateMultiplier: number
  account: CredentialAccount
}

export type OpenedSession = { session: Session; cookie: string }

export const hasGuests = (): boolean => config().isSandbox && config().welcomeCredit > 0n

/**
 * Creates a guest account of the sandbox; its caller opens the session.
 * @throws ApiError UNAUTHORIZED where there are no guests, RATE_LIMIT_EXCEEDED after too many new ones.
 */
export async function createGuest(clientAddress: string, nowMs = Date.now()): Promise<string> {
  if (!hasGuests()) {
    throw new ApiError('UNAUTHORIZED', 'This server does not allow guests. Sign in with a wallet, or use an API key.')
  }
  countNewGuest(clientAddress, nowMs)
  return createAccount('guest', 'Guest')
}

export async function openSession(
  opened: Omit<Session, 'id' | 'expiresAt' | 'kind'> & { kind: keyof typeof LIFETIME_MS },
  browser: string,
  nowMs = Date.now(),
): Promise<OpenedSession> {
  const { kind, accountId } = opened
  const secret = newSecret(PREFIX)
  const session = { ...opened, id: uuid(), expiresAt: new Date(nowMs + LIFETIME_MS[kind]) }
  const { drizzle } = await getDb()
  const hash = Buffer.from(hashSecret(secret), 'hex')
  await drizzle
    .insert(sessions)
    .values({ id: session.id, accountId, kind, hash, browser, expiresAt: session.expiresAt })
  return { session, cookie: sessionCookie(secret, kind) }
}

export async function verifySession(secret: string, nowMs = Date.now()): Promise<Session | undefined> {
  if (!isWellFormed(secret, PREFIX)) return undefined
  const session = await sessionLookup().find(hashSecret(secret))
  return session && session.expiresAt.getTime() > nowMs ? session : undefined
}

/**
 * Returns the session behind a request of our own pages.
 * @throws ApiError AUTHENTICATION_FAILED without one.
 */
export async function ownSession(context: RequestContext): Promise<Session> {
  const secret = ownSecret(context)
  const session = secret === undefined ? undefined : await verifySession(secret)
  if (!session) throw new ApiError('AUTHENTICATION_FAILED', AUTHENTICATION_FAILED)
  context.facts.accountId = session.accountId
  return session
}

export const ownSecret = ({ headers }: RequestContext): string | undefined =>
  isSameOrigin(headers) ? sessionSecret(headers) : undefined

export async function extendSession(
  session: Session,
  secret: string,
  nowMs = Date.now(),
): Promise<OpenedSession | undefined> {
  if (session.kind !== 'guest') return undefined
  if (session.expiresAt.getTime() > nowMs + LIFETIME_MS.guest - EXTEND_EVERY_MS) return undefined
  const expiresAt = new Date(nowMs + LIFETIME_MS.guest)
  const { drizzle } = await getDb()
  await drizzle
    .update(sessions)
    .set({ expiresAt })
    .where(and(eq(sessions.id, session.id), isNull(sessions.revokedAt)))
  sessionLookup().forget(hashSecret(secret))
  return { session: { ...session, expiresAt }, cookie: sessionCookie(secret, 'guest') }
}

export async function closeSession(secret: string): Promise<void> {
  if (!isWellFormed(secret, PREFIX)) return
  const { drizzle } = await getDb()
  const hash = hashSecret(secret)
  await drizzle
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(sessions.hash, Buffer.from(hash, 'hex')), isNull(sessions.revokedAt)))
  sessionLookup().forget(hash)
}

export function forgetSessions(hashes: Uint8Array[]): void {
  // PGlite gives plain bytes, whose `toString` knows no hex.
  for (const hash of hashes) sessionLookup().forget(Buffer.from(hash).toString('hex'))
}

const cookie = ownCookie('service_session')

export const sessionSecret = cookie.read

export const clearedCookie = cookie.clear

const sessionCookie = (secret: string, kind: keyof typeof LIFETIME_MS): string =>
  cookie.set(secret, LIFETIME_MS[kind] / 1_000)

const LOOKUP = 'session-lookup'

export const forgetAllSessions = (): void => resetPerProcess(LOOKUP)

function sessionLookup(): Lookup<Session> {
  return perProcess(LOOKUP, () => createLookup(loadSessions))
}

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
