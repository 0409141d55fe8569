import 'server-only'
import { and, desc, eq, gt, isNotNull, isNull, lt, lte, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { isUuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { sessions } from '@/lib/db/schema/accounts'
import { forgetSessions } from '@/lib/services/identity/credentials'
import { type OpenedSession, openSession } from '@/lib/services/identity/session'
import type { SignedIn } from '@/lib/services/identity/sign-in/verify'

const MAX_OPEN = 50
const MAX_ENDED = 50
const RETENTION_DAYS = 7

export type ListedSession = Pick<typeof sessions.$inferSelect, 'id' | 'kind' | 'browser' | 'createdAt' | 'expiresAt'>

export async function openWalletSession(wallet: SignedIn, browser: string): Promise<OpenedSession> {
  const { accountId, address, status, isPro, rateMultiplier } = wallet
  const account = { kind: 'wallet', address, status, isPro } as const
  const opened = await openSession({ accountId, kind: 'wallet', rateMultiplier, account }, browser)
  await endOldest(accountId)
  await dropEnded(accountId)
  return opened
}

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

async function endOldest(accountId: string): Promise<void> {
  const { drizzle } = await getDb()
  const ended = await drizzle
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(isOpen(accountId), notInArray(sessions.id, newest(drizzle, isOpen(accountId), MAX_OPEN))))
    .returning({ hash: sessions.hash })
  forgetSessions(ended.map(({ hash }) => hash))
}

async function dropEnded(accountId: string): Promise<void> {
  const { drizzle } = await getDb()
  const past = sql`now() - make_interval(days => ${RETENTION_DAYS})`
  const isOld = or(lt(sessions.expiresAt, past), lt(sessions.revokedAt, past))
  const isSurplus = notInArray(sessions.id, newest(drizzle, isEnded(accountId), MAX_ENDED))
  await drizzle.delete(sessions).where(and(isEnded(accountId), or(isOld, isSurplus)))
}

const newest = (drizzle: Database['drizzle'], which: SQL | undefined, count: number) =>
  drizzle
    .select({ id: sessions.id })
    .from(sessions)
    .where(which)
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(count)

const isOpen = (accountId: string) =>
  and(eq(sessions.accountId, accountId), isNull(sessions.revokedAt), gt(sessions.expiresAt, sql`now()`))

const isEnded = (accountId: string) =>
  and(eq(sessions.accountId, accountId), or(isNotNull(sessions.revokedAt), lte(sessions.expiresAt, sql`now()`)))

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * Names a browser by its `User-Agent`; only words of ours come out.
 * @example "Chrome on Linux"
 */
export function browserName(userAgent: string | null): string {
  const nameIn = (table: typeof BROWSERS) => table.find(([form]) => form.test(userAgent ?? ''))?.[1]
  const browser = nameIn(BROWSERS) ?? 'Unknown browser'
  const system = nameIn(SYSTEMS)
  return system === undefined ? browser : `${browser} on ${system}`
}
