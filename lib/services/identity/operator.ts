import 'server-only'
import { eq } from 'drizzle-orm'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import { isSignatureOf, signatureOf } from '@/lib/db/installation-secret'
import { installation } from '@/lib/db/schema/accounts'
import { config } from '@/lib/kernel/config'
import type { RequestContext } from '@/lib/kernel/request-context'
import { isSameOrigin, ownCookie } from '@/lib/services/identity/same-origin-cookie'
import { assertWithinBudget } from '@/lib/services/limits/failed-requests'

/**
 * The operator has no account here: whoever can read the server's output or run its commands gets a link, and the link
 * opens a session. Both are times of issue that this installation signed.
 */

const SECRET_NAME = 'operator'
const REVOKED_AT = 'operator-revoked-at'
const LIFETIME_MS = { link: 86_400_000, session: 30 * 86_400_000 } as const
/** Processes on several machines sign by their own clocks. */
const MAX_CLOCK_SKEW_MS = 60_000
const TOKEN = /^([0-9a-z]{8,9})\.([\w-]{43})$/
export const MAX_OPERATOR_TOKEN_CHARS = 64

type Purpose = keyof typeof LIFETIME_MS

const cookie = ownCookie('service_operator')

export type OperatorLink = { link: string; expiresAt: Date }

/** Makes a link that opens an operator's session for 24 hours. In its fragment the token reaches no server's log. */
export async function operatorLink(nowMs = Date.now()): Promise<OperatorLink> {
  const token = await tokenOf('link', nowMs)
  return { link: `${config().origin}/admin#token=${token}`, expiresAt: new Date(nowMs + LIFETIME_MS.link) }
}

/**
 * Opens a session for whoever has the token of a link; returns its cookie.
 * @throws ApiError AUTHENTICATION_FAILED for a wrong or expired token, RATE_LIMIT_EXCEEDED after too many.
 */
export async function openOperatorSession(
  context: RequestContext,
  token: string,
  nowMs = Date.now(),
): Promise<{ cookie: string }> {
  await assertWithinBudget(context)
  if (!(await isValid('link', token, nowMs))) {
    throw new ApiError(
      'AUTHENTICATION_FAILED',
      'This link is not valid, or has expired. `npm run admin -- operator link` prints a new one.',
    )
  }
  return { cookie: cookie.set(await tokenOf('session', nowMs), LIFETIME_MS.session / 1_000) }
}

export const closedOperatorCookie = (): string => cookie.clear()

export const hasOperatorCookie = ({ headers }: RequestContext): boolean => cookie.read(headers) !== undefined

/** Tells whether a request of our own pages comes from an operator. */
export async function isOperator({ headers }: RequestContext, nowMs = Date.now()): Promise<boolean> {
  const token = isSameOrigin(headers) ? cookie.read(headers) : undefined
  return token !== undefined && (await isValid('session', token, nowMs))
}

/** @throws ApiError AUTHENTICATION_FAILED unless an operator asks, from our own pages. */
export async function requireOperator(context: RequestContext): Promise<void> {
  await assertWithinBudget(context)
  if (await isOperator(context)) return
  throw new ApiError(
    'AUTHENTICATION_FAILED',
    'Only the operator of this server can do this. `npm run admin -- operator link` prints a link to sign in with.',
  )
}

/** Ends every link and session that was opened until now, in all processes. */
export async function revokeOperators(nowMs = Date.now()): Promise<void> {
  const { drizzle } = await getDb()
  const value = String(nowMs)
  await drizzle
    .insert(installation)
    .values({ key: REVOKED_AT, value })
    .onConflictDoUpdate({ target: installation.key, set: { value } })
}

async function tokenOf(purpose: Purpose, nowMs: number): Promise<string> {
  const issuedAt = nowMs.toString(36)
  return `${issuedAt}.${(await signatureOf(SECRET_NAME, signedText(purpose, issuedAt))).toString('base64url')}`
}

async function isValid(purpose: Purpose, token: string, nowMs: number): Promise<boolean> {
  const [, issuedAt = '', signature = ''] = TOKEN.exec(token) ?? []
  const sent = Buffer.from(signature, 'base64url')
  if (!(await isSignatureOf(SECRET_NAME, signedText(purpose, issuedAt), sent))) return false
  const issuedAtMs = Number.parseInt(issuedAt, 36)
  if (issuedAtMs > nowMs + MAX_CLOCK_SKEW_MS || issuedAtMs + LIFETIME_MS[purpose] <= nowMs) return false
  return issuedAtMs > (await revokedAtMs())
}

const signedText = (purpose: Purpose, issuedAt: string): string => `${purpose} ${issuedAt}`

async function revokedAtMs(): Promise<number> {
  const { drizzle } = await getDb()
  const [row] = await drizzle.select().from(installation).where(eq(installation.key, REVOKED_AT))
  return Number(row?.value ?? 0)
}
