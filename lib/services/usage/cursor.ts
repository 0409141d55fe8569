import 'server-only'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { invalidField } from '@/lib/contract/errors'
import { installationSecret } from '@/lib/db/installation-secret'
import type { Place, UsageFilter } from '@/lib/services/usage/rows'

const VERSION = 1
/** Source: API contract, billing.md "GET /billing/usage-history". */
const LIFETIME_MS = 24 * 3_600_000
const SECRET_NAME = 'usage-cursor-secret'
/** SHA-256. */
const MAC_BYTES = 32

/** Where a walk through an account's usage stands: what the next page needs, and nothing that a client could change. */
export type UsageWalk = { accountId: string; filter: UsageFilter; pageSize: number; after: Place }

const Sealed = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.int(),
  z.string(),
  z.string(),
  z.int(),
  z.int(),
])

/** A walk as text for the client, good for a day. */
export async function sealCursor(
  { accountId, filter, pageSize, after }: UsageWalk,
  nowMs = Date.now(),
): Promise<string> {
  const { currency = null, end = null } = filter
  const facts = [VERSION, accountId, currency, end, pageSize, after.at, after.txn, after.part, nowMs + LIFETIME_MS]
  const body = Buffer.from(JSON.stringify(facts))
  return Buffer.concat([await macOf(body), body]).toString('base64url')
}

/**
 * The walk behind a cursor of this account.
 *
 * @throws ApiError INVALID_REQUEST when it was altered, is another account's, or is too old.
 */
export async function openCursor(cursor: string, accountId: string, nowMs = Date.now()): Promise<UsageWalk> {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, body] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)]
  if (mac.length < MAC_BYTES || !timingSafeEqual(mac, await macOf(body)))
    throw unusable('is none that this server gave')
  const sealed = Sealed.safeParse(JSON.parse(body.toString()))
  if (!sealed.success || sealed.data[1] !== accountId) throw unusable('is none that this server gave')
  const [, , currency, end, pageSize, at, txn, part, expiresAt] = sealed.data
  if (expiresAt <= nowMs) throw unusable('has expired')
  return {
    accountId,
    filter: { ...(currency !== null && { currency }), ...(end !== null && { end }) },
    pageSize,
    after: { at, txn, part },
  }
}

const macOf = async (body: Uint8Array): Promise<Buffer> =>
  createHmac('sha256', await installationSecret(SECRET_NAME))
    .update(body)
    .digest()

const unusable = (why: string) => invalidField(['cursor'], `${why}. Begin again without one.`)
