import 'server-only'
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { ApiError } from '@/lib/contract/errors'
import { hex } from '@/lib/contract/ids'
import { isShareId, LIFETIMES, type Lifetime, type NewShare } from '@/lib/contract/shares'
import { getDb } from '@/lib/db/client'
import { shares } from '@/lib/db/schema/shares'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

export const MAX_SHARES = 100
export const MAX_SHARED_BYTES = 32 * 1024 * 1024
const MAX_ALL_BYTES = 8 * 1024 * 1024 * 1024
/** Least size that a link counts for: its row is counted whenever another is made. */
const MIN_COUNTED_BYTES = 16 * 1024
/** Advisory lock: links are made one after the other, so that each is counted by the next. */
const COUNTING_LOCK = 7_263_101_449
const SWEEP_EVERY_MS = 600_000
const SWEEP_ROWS = 500

/**
 * Stores ciphertext until it expires.
 * @throws ApiError RATE_LIMIT_EXCEEDED when the account shares as much as it may, SERVICE_UNAVAILABLE when all do.
 */
export async function createShare(
  accountId: string,
  body: Buffer,
  lifetime: Lifetime,
  maxBytes = MAX_ALL_BYTES,
): Promise<NewShare> {
  await sweepShares()
  const id = hex(16)
  const secret = hex(16)
  const expiresAt = new Date(Date.now() + LIFETIMES[lifetime])
  const { drizzle } = await getDb()
  await drizzle.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${COUNTING_LOCK}::bigint)`)
    const [used] = await transaction
      .select({
        links: sql<number>`count(*) filter (where ${shares.accountId} = ${accountId})::int`,
        bytes: sql<number>`coalesce(sum(octet_length(${shares.body})) filter (where ${shares.accountId} = ${accountId}), 0)::float8`,
        allBytes: sql<number>`coalesce(sum(greatest(octet_length(${shares.body}), ${MIN_COUNTED_BYTES}::int)), 0)::float8`,
      })
      .from(shares)
    const { links = 0, bytes = 0, allBytes = 0 } = used ?? {}
    if (links >= MAX_SHARES || bytes + body.length > MAX_SHARED_BYTES) throw tooMuch()
    if (allBytes + Math.max(body.length, MIN_COUNTED_BYTES) > maxBytes) throw full()
    await transaction.insert(shares).values({ id, accountId, secretHash: hashOf(secret), body, expiresAt })
  })
  return { id, secret, expiresAt: expiresAt.toISOString() }
}

const tooMuch = () =>
  new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `You have reached the limit of ${MAX_SHARES} shared chats or of their total size. Stop sharing a chat first.`,
  )

const full = () => new ApiError('SERVICE_UNAVAILABLE', 'The storage for shared chats is full. Try again later.')

export async function readShare(id: string): Promise<{ body: Uint8Array<ArrayBuffer>; expiresAt: Date } | undefined> {
  if (!isShareId(id)) return undefined
  const { query } = await getDb()
  const [found] = await query<{ body: Uint8Array; expiresAtMs: number }>(
    `select body, (extract(epoch from expires_at) * 1000)::float8 as "expiresAtMs" from share where id = $1 and expires_at > now()`,
    [id],
  )
  return found && { body: new Uint8Array(found.body), expiresAt: new Date(found.expiresAtMs) }
}

export async function deleteShare(id: string, secret: string): Promise<boolean> {
  if (!isShareId(id)) return false
  const { query } = await getDb()
  const gone = await query(`delete from share where id = $1 and secret_hash = $2 returning id`, [id, hashOf(secret)])
  return gone.length > 0
}

export async function sweepShares(): Promise<number> {
  const { query } = await getDb()
  const gone = await query(
    `delete from share where id in (
       select id from share where expires_at <= now() order by expires_at limit $1 for update skip locked
     ) returning id`,
    [SWEEP_ROWS],
  )
  return gone.length
}

export function startShareSweeper(): void {
  const look = () =>
    sweepShares().catch((error) => log().warn({ err: error }, 'expired shares could not be deleted; retrying later'))
  perProcess('share-sweep', () => setInterval(look, SWEEP_EVERY_MS).unref())
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()
