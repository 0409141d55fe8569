import 'server-only'
import { and, desc, eq, gt, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { isUuid } from '@/lib/access/api-keys'
import { forgetSessions, type OpenedSession, openSession } from '@/lib/access/session'
import type { SignedIn } from '@/lib/access/sign-in/verify'
import { getDb } from '@/lib/db/client'
import { sessions } from '@/lib/db/schema'

/** Open sessions of one account; the oldest ends when another is opened. */
const MAX_OPEN = 50
/** How long a row is kept after its session has ended. */
const KEPT_DAYS = 7

/** An open session as its owner sees it in a list. */
export type ListedSession = Pick<typeof sessions.$inferSelect, 'id' | 'kind' | 'browser' | 'createdAt' | 'expiresAt'>

/** Opens a browser session for a wallet that proved itself: a day, however much it is used. */
export async function openWalletSession(wallet: SignedIn, browser: string): Promise<OpenedSession> {
  const { accountId, address, status, isPro, rateMultiplier } = wallet
  const account = { kind: 'wallet', address, status, isPro } as const
  const opened = await openSession({ accountId, kind: 'wallet', rateMultiplier, account }, browser)
  await endOldest(accountId)
  return opened
}

/** The open sessions of an account, newest first. */
export async function listSessions(accountId: string): Promise<ListedSession[]> {
  const { id, kind, browser, createdAt, expiresAt } = sessions
  const { drizzle } = await getDb()
  return drizzle
    .select({ id, kind, browser, createdAt, expiresAt })
    .from(sessions)
    .where(isOpen(accountId))
    .orderBy(desc(createdAt), desc(id))
    .limit(MAX_OPEN)
}

/**
 * Ends a session of an account: at once in this process, within seconds in others.
 *
 * @returns false when the account has no such open session.
 */
export async function revokeSession(accountId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const { drizzle } = await getDb()
  const ended = await drizzle
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(isOpen(accountId), eq(sessions.id, id)))
    .returning({ hash: sessions.hash })
  forgetSessions(ended.map(({ hash }) => hash))
  return ended.length > 0
}

/** One statement, so that two that open at once agree on the order. Rows that ended long ago go with them. */
async function endOldest(accountId: string): Promise<void> {
  const { drizzle } = await getDb()
  const newest = drizzle
    .select({ id: sessions.id })
    .from(sessions)
    .where(isOpen(accountId))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(MAX_OPEN)
  const ended = await drizzle
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(isOpen(accountId), notInArray(sessions.id, newest)))
    .returning({ hash: sessions.hash })
  forgetSessions(ended.map(({ hash }) => hash))
  const past = sql`now() - make_interval(days => ${KEPT_DAYS})`
  await drizzle
    .delete(sessions)
    .where(and(eq(sessions.accountId, accountId), or(lt(sessions.expiresAt, past), lt(sessions.revokedAt, past))))
}

const isOpen = (accountId: string) =>
  and(eq(sessions.accountId, accountId), isNull(sessions.revokedAt), gt(sessions.expiresAt, sql`now()`))
