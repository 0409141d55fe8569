import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { sessions } from '@/lib/db/schema/accounts'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'
import { createAccount } from '@/lib/services/identity/accounts'
import {
  forgetSessions,
  hashSecret,
  isWellFormed,
  newSecret,
  SESSION_PREFIX,
  type Session,
  verifySession,
} from '@/lib/services/identity/credentials'
import { isSameOrigin, ownCookie } from '@/lib/services/identity/same-origin-cookie'
import { AUTHENTICATION_FAILED } from '@/lib/services/limits/failed-requests'
import { memoryWindows, windowEnd, windowIsFull } from '@/lib/services/limits/limits'

const LIFETIME_MS = { guest: 30 * 86_400_000, wallet: 86_400_000 } as const
const EXTEND_EVERY_MS = 86_400_000
const MAX_NEW_GUESTS_PER_ADDRESS = 200
const MAX_NEW_GUESTS = 1_000
const NEW_GUESTS_WINDOW_MS = 3_600_000

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

/** Counts a new guest. @throws ApiError RATE_LIMIT_EXCEEDED after too many in an hour, of one address or of all. */
function countNewGuest(clientAddress: string, nowMs: number): void {
  const guests = perProcess('new-guests', () => memoryWindows())
  const endsAtMs = windowEnd(nowMs, NEW_GUESTS_WINDOW_MS)
  const takes = [
    guests.take(`of ${clientAddress}`, MAX_NEW_GUESTS_PER_ADDRESS, endsAtMs),
    guests.take('all', MAX_NEW_GUESTS, endsAtMs),
  ]
  if (takes.every((result) => result.isAllowed)) return
  throw windowIsFull('Too many new guests in this hour. Go on with the session that you have.', endsAtMs, nowMs)
}

export async function openSession(
  opened: Omit<Session, 'id' | 'expiresAt' | 'kind'> & { kind: keyof typeof LIFETIME_MS },
  browser: string,
  nowMs = Date.now(),
): Promise<OpenedSession> {
  const { kind, accountId } = opened
  const secret = newSecret(SESSION_PREFIX)
  const session = { ...opened, id: uuid(), expiresAt: new Date(nowMs + LIFETIME_MS[kind]) }
  const { drizzle } = await getDb()
  const hash = Buffer.from(hashSecret(secret), 'hex')
  await drizzle
    .insert(sessions)
    .values({ id: session.id, accountId, kind, hash, browser, expiresAt: session.expiresAt })
  return { session, cookie: sessionCookie(secret, kind) }
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
  forgetSessions([Buffer.from(hashSecret(secret), 'hex')])
  return { session: { ...session, expiresAt }, cookie: sessionCookie(secret, 'guest') }
}

export async function closeSession(secret: string): Promise<void> {
  if (!isWellFormed(secret, SESSION_PREFIX)) return
  const { drizzle } = await getDb()
  const hash = Buffer.from(hashSecret(secret), 'hex')
  await drizzle
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(sessions.hash, hash), isNull(sessions.revokedAt)))
  forgetSessions([hash])
}

const cookie = ownCookie('service_session')

export const sessionSecret = cookie.read

export const clearedCookie = cookie.clear

const sessionCookie = (secret: string, kind: keyof typeof LIFETIME_MS): string =>
  cookie.set(secret, LIFETIME_MS[kind] / 1_000)
