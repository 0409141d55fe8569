import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { createAccount } from '@/lib/access/accounts'
import { createLookup, type Lookup } from '@/lib/access/lookup'
import { hashOf, isWellFormed, newSecret } from '@/lib/access/secret'
import { memoryWindows } from '@/lib/access/window-store'
import { credit } from '@/lib/billing/ledger'
import { config } from '@/lib/core/config'
import { ApiError } from '@/lib/core/errors'
import { uuid } from '@/lib/core/ids'
import { perProcess } from '@/lib/core/per-process'
import { getDb } from '@/lib/db/client'
import { sessions } from '@/lib/db/schema'

/** A session ends this long after it was last opened or looked at. */
const LIFETIME_MS = 30 * 86_400_000
/** Its end moves on at most this often: a page that looks every second writes once a day. */
const EXTEND_EVERY_MS = 86_400_000
const PREFIX = 'service_session_'

/** New guests an hour: of one address, and of all. The sandbox serves one machine, so this bounds its scripts. */
const MAX_GUESTS_PER_ADDRESS = 200
const MAX_GUESTS = 1_000
const GUEST_WINDOW_MS = 3_600_000

/** An open browser session and the account behind it. */
export type Session = {
  id: string
  accountId: string
  kind: 'guest' | 'wallet' | 'account'
  expiresAt: Date
  rateMultiplier: number
  account: { kind: 'account' | 'wallet' | 'guest'; status: 'active' | 'disabled' | 'inactive'; isPro: boolean }
}

export type OpenedSession = { session: Session; cookie: string }

/**
 * Opens a guest account of the sandbox with the welcome credit, and a session for it.
 *
 * @throws ApiError UNAUTHORIZED outside the sandbox, RATE_LIMIT_EXCEEDED after too many new guests.
 */
export async function openGuestSession(clientAddress: string, nowMs = Date.now()): Promise<OpenedSession> {
  const { isSandbox, welcomeCredit } = config()
  if (!isSandbox) {
    throw new ApiError(
      'UNAUTHORIZED',
      'This server has no guests. Use an API key; wallet sign-in comes with the next version.',
    )
  }
  countGuest(clientAddress, nowMs)
  const accountId = await createAccount('guest', 'Guest')
  if (welcomeCredit > 0n) {
    const idempotencyKey = `welcome:${accountId}`
    await credit({
      accountId,
      currency: 'USD',
      amount: welcomeCredit,
      kind: 'grant',
      idempotencyKey,
      reason: 'Welcome credit',
    })
  }
  const { drizzle } = await getDb()
  const secret = newSecret(PREFIX)
  const expiresAt = new Date(nowMs + LIFETIME_MS)
  const id = uuid()
  await drizzle
    .insert(sessions)
    .values({ id, accountId, kind: 'guest', hash: Buffer.from(hashOf(secret), 'hex'), expiresAt })
  const account = { kind: 'guest', status: 'active', isPro: false } as const
  return {
    session: { id, accountId, kind: 'guest', expiresAt, rateMultiplier: 1, account },
    cookie: sessionCookie(secret),
  }
}

/** The session that a cookie's secret opens, unless it ended or was closed. */
export async function verifySession(secret: string, nowMs = Date.now()): Promise<Session | undefined> {
  if (!isWellFormed(secret, PREFIX)) return undefined
  const session = await sessionLookup().find(hashOf(secret))
  return session && session.expiresAt.getTime() > nowMs ? session : undefined
}

/** Moves the end of a session on; the cookie to send, or nothing when its end is still far enough. */
export async function extendSession(
  session: Session,
  secret: string,
  nowMs = Date.now(),
): Promise<OpenedSession | undefined> {
  if (session.expiresAt.getTime() > nowMs + LIFETIME_MS - EXTEND_EVERY_MS) return undefined
  const expiresAt = new Date(nowMs + LIFETIME_MS)
  const { drizzle } = await getDb()
  await drizzle
    .update(sessions)
    .set({ expiresAt })
    .where(and(eq(sessions.id, session.id), isNull(sessions.revokedAt)))
  sessionLookup().forget(hashOf(secret))
  return { session: { ...session, expiresAt }, cookie: sessionCookie(secret) }
}

/** Ends the session that a cookie's secret opens, at once. Does nothing when there is none. */
export async function closeSession(secret: string): Promise<void> {
  if (!isWellFormed(secret, PREFIX)) return
  const { drizzle } = await getDb()
  const hash = hashOf(secret)
  await drizzle
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(sessions.hash, Buffer.from(hash, 'hex')), isNull(sessions.revokedAt)))
  sessionLookup().forget(hash)
}

/** The secret in a request's cookie. Its caller has made sure that the request is same-origin. */
export function sessionSecret(headers: Headers): string | undefined {
  const start = `${cookieName()}=`
  const found = headers
    .get('cookie')
    ?.split(';')
    .find((pair) => pair.trimStart().startsWith(start))
  return found?.trim().slice(start.length)
}

/** `Set-Cookie` that takes the session away from the browser. */
export const clearedCookie = (): string => cookie('', 0)

const sessionCookie = (secret: string): string => cookie(secret, LIFETIME_MS / 1_000)

function cookie(value: string, maxAgeSeconds: number): string {
  const secure = isSecure() ? '; Secure' : ''
  return `${cookieName()}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
}

/** Browsers let no other host and no plain connection set a `__Host-` cookie. */
const cookieName = (): string => (isSecure() ? '__Host-service_session' : 'service_session')
const isSecure = (): boolean => config().origin.startsWith('https:')

function countGuest(clientAddress: string, nowMs: number): void {
  const guests = perProcess('new-guests', () => memoryWindows())
  const endsAtMs = (Math.floor(nowMs / GUEST_WINDOW_MS) + 1) * GUEST_WINDOW_MS
  const takes = [
    guests.take(`of ${clientAddress}`, MAX_GUESTS_PER_ADDRESS, endsAtMs),
    guests.take('all', MAX_GUESTS, endsAtMs),
  ]
  if (takes.every((taken) => taken.isAllowed)) return
  throw new ApiError('RATE_LIMIT_EXCEEDED', 'Too many new guests in this hour. Go on with the session that you have.', {
    retryAfterSeconds: Math.ceil((endsAtMs - nowMs) / 1_000),
  })
}

function sessionLookup(): Lookup<Session> {
  return perProcess('session-lookup', () => createLookup(loadSessions))
}

type LoadedSession = Omit<Session, 'account' | 'expiresAt'> & {
  hash: string
  expiresAtMs: number
  accountKind: Session['account']['kind']
  status: Session['account']['status']
  isPro: boolean
}

async function loadSessions(hashes: string[]): Promise<Map<string, Session>> {
  const { query } = await getDb()
  const rows = await query<LoadedSession>(
    `select q.hash, s.id, s.account_id as "accountId", s.kind, (extract(epoch from s.expires_at) * 1000)::float8 as "expiresAtMs",
            a.rate_multiplier as "rateMultiplier", a.kind as "accountKind", a.status, a.is_pro as "isPro"
       from unnest($1::text[]) as q(hash)
       join session s on s.hash = decode(q.hash, 'hex')
       join account a on a.id = s.account_id
      where s.revoked_at is null`,
    [hashes],
  )
  return new Map(
    rows.map(({ hash, expiresAtMs, accountKind, status, isPro, ...session }) => [
      hash,
      { ...session, expiresAt: new Date(expiresAtMs), account: { kind: accountKind, status, isPro } },
    ]),
  )
}
