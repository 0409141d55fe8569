import 'server-only'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd } from '@/lib/contract/money'
import type { RpcSlug } from '@/lib/contract/rpc-networks'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { persist, unavailable } from '@/lib/db/outage'
import { limitReached } from '@/lib/endpoints/rpc/daily-credits'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

const HEADER = 'Idempotency-Key'
const KEY = /^[A-Za-z0-9_-]{1,255}$/
const RUNNING_RETRY_SECONDS = 2
const FULL_RETRY_SECONDS = 60

export type StoredReply = {
  status: number
  body: Uint8Array
  credits: number
  cost: Usd
  requestId: string
}

/** Right to run a call, and duty to end it: by `keep`, by `drop`, or by itself after a minute. */
export type Claim = {
  /**
   * Keeps the reply for a day. Never rejects, since the caller has the reply already. Replies over 1 MiB or of status
   * 429 or 5xx are dropped, so that a call with the same key runs anew.
   */
  keep(reply: StoredReply): Promise<void>
  drop(): Promise<void>
}

export function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get(HEADER)
  if (key === null) return undefined
  if (KEY.test(key)) return key
  throw new ApiError(
    'INVALID_REQUEST',
    `The header ${HEADER} must be 1 to 255 letters, digits, underscores and hyphens, and be sent once.`,
  )
}

export function fingerprintOf(slug: RpcSlug, body: Uint8Array): Buffer {
  return createHash('sha256').update(slug).update('\n').update(body).digest()
}

/**
 * Claims the right to run a call under the account's key, or brings the reply of an earlier call. Of all that ask at
 * once, in every process, one gets the claim; that of a dead process is given on after a minute.
 *
 * @throws ApiError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS, RATE_LIMIT_EXCEEDED (5,000 replies or 256 MiB
 * kept), SERVICE_UNAVAILABLE (nobody knows: nothing may be run).
 */
export async function claimReply(
  o: { accountId: string; key: string; fingerprint: Buffer; requestId: string },
  database: () => Promise<Database> = getDb,
): Promise<{ replay: StoredReply } | { claim: Claim }> {
  const claimed = { accountId: o.accountId, key: o.key, claim: uuid() }
  let row: ClaimRow
  try {
    row = await claimRow(await database(), { ...o, ...claimed })
    sweepNowAndThen(database)
  } catch (cause) {
    throw notChecked(cause)
  }
  switch (row.outcome) {
    case 'claimed':
      return { claim: claimOf(claimed, database) }
    case 'kept': {
      const { status, credits, cost, request_id: requestId } = row
      const body = await unpack({ bytes: row.body, isPacked: row.is_packed })
      return { replay: { status, body, credits, cost: nano(BigInt(cost)), requestId } }
    }
    case 'reused':
      throw new ApiError(
        'IDEMPOTENCY_KEY_REUSED',
        `This ${HEADER} was used for another request in the last 24 hours. Use a new key, or send exactly the same body to the same network.`,
      )
    case 'running':
      throw new ApiError(
        'IDEMPOTENCY_IN_PROGRESS',
        `The first request with this ${HEADER} is still running. Send it again in a few seconds to get its reply.`,
        { retryAfterSeconds: RUNNING_RETRY_SECONDS },
      )
    case 'full':
      throw full(row.seconds ?? FULL_RETRY_SECONDS)
  }
}

function claimOf(claimed: Claimed, database: () => Promise<Database>): Claim {
  let isEnded = false

  async function end(what: string, run: (own: Database) => Promise<boolean>): Promise<void> {
    if (isEnded) return
    isEnded = true
    try {
      const isDone = await run(await database())
      if (!isDone) log().warn({ account: claimed.accountId }, `an idempotency claim had ended before it was ${what}`)
    } catch (error) {
      log().warn({ account: claimed.accountId, err: error }, `an idempotency claim was not ${what}; its lease ends it`)
    }
  }
  const drop = () => end('dropped', (own) => dropRow(own, claimed))

  return {
    drop,
    keep(reply) {
      if (!isStorable(reply)) return drop()
      return end('kept', async (own) => {
        const { bytes, isPacked } = await pack(reply.body)
        return storeRow(own, claimed, { ...reply, body: bytes, isPacked })
      })
    },
  }
}

const isStorable = ({ status, body }: StoredReply): boolean =>
  status !== 429 && status < 500 && body.byteLength <= MAX_REPLY_BYTES

function full(seconds: number): ApiError {
  return limitReached(
    `Too much is kept under ${HEADER}s of this account. Wait, or send calls that may run twice without the header.`,
    `Idempotency cap: ${MAX_KEYS.toLocaleString('en-US')} keys or ${MAX_BYTES / 1_048_576} MiB of replies in 24 hours. It eases in ${seconds} s, when the oldest reply goes.`,
    seconds,
  )
}

function notChecked(cause: unknown): ApiError {
  const message = `${HEADER}s cannot be checked at the moment. Nothing was sent to the network, and nothing was charged. Try again in a few seconds.`
  return unavailable(message, cause)
}

const MAX_REPLY_BYTES = 1_048_576
const PACK_FROM_BYTES = 1_024

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

type Packed = { bytes: Uint8Array; isPacked: boolean }

async function pack(body: Uint8Array): Promise<Packed> {
  if (body.byteLength <= PACK_FROM_BYTES) return { bytes: body, isPacked: false }
  // Measured on logs: the lowest quality takes a third of the time of the next ones, and the same space.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength }
  const bytes = await compress(body, { params })
  return bytes.byteLength < body.byteLength ? { bytes, isPacked: true } : { bytes: body, isPacked: false }
}

async function unpack({ bytes, isPacked }: Packed): Promise<Uint8Array> {
  return isPacked ? decompress(bytes, { maxOutputLength: MAX_REPLY_BYTES }) : bytes
}

/**
 * By the database's clock. A node's answer takes 30 seconds at most, so only the claim of a dead process ends this way.
 */
const LEASE_SECONDS = 60
const KEEP_SECONDS = 86_400
export const MAX_KEYS = 5_000
export const MAX_BYTES = 268_435_456
const SWEEP_BATCH = 500
const MAX_SWEEP_BATCHES = 400

type Claimed = { accountId: string; key: string; claim: string }

type ClaimRow =
  | { outcome: 'claimed' | 'running' | 'reused' }
  | { outcome: 'full'; seconds: number | null }
  | {
      outcome: 'kept'
      request_id: string
      status: number
      body: Uint8Array
      is_packed: boolean
      credits: number
      cost: string
    }

type ReplyRow = {
  requestId: string
  status: number
  body: Uint8Array
  isPacked: boolean
  credits: number
  cost: bigint
}

async function claimRow(
  { query }: Database,
  { accountId, key, claim, fingerprint, requestId }: Claimed & { fingerprint: Uint8Array; requestId: string },
): Promise<ClaimRow> {
  const values = [accountId, key, fingerprint, requestId, claim, LEASE_SECONDS, KEEP_SECONDS, MAX_KEYS, MAX_BYTES]
  const [row] = await query<ClaimRow>('select * from claim_rpc_reply($1, $2, $3, $4, $5, $6, $7, $8, $9)', values)
  if (row === undefined) throw new Error('the database gave no answer for this claim')
  return row
}

function storeRow(database: Database, { accountId, key, claim }: Claimed, stored: ReplyRow): Promise<boolean> {
  const { requestId, status, body, isPacked, credits, cost } = stored
  const values = [accountId, key, claim, requestId, status, body, isPacked, credits, cost.toString()]
  return end(database, 'select keep_rpc_reply($1, $2, $3, $4, $5, $6, $7, $8, $9) as is_done', values)
}

export function dropRow(database: Database, { accountId, key, claim }: Claimed): Promise<boolean> {
  return end(database, 'select drop_rpc_reply($1, $2, $3) as is_done', [accountId, key, claim])
}

export async function sweepRows({ query }: Database): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_SWEEP_BATCHES; batch++) {
    const [row] = await query<{ swept: number }>('select sweep_rpc_replies($1) as swept', [SWEEP_BATCH])
    const swept = row?.swept ?? 0
    total += swept
    if (swept < SWEEP_BATCH) break
  }
  return total
}

async function end({ query }: Database, text: string, values: unknown[]): Promise<boolean> {
  const [row] = await persist(() => query<{ is_done: boolean }>(text, values))
  return row?.is_done === true
}

const SWEEP_EVERY_MS = 600_000
/** A reply lives a day: for this long after the last claim there may be something to sweep. */
const IDLE_AFTER_MS = 90_000_000

type Sweeper = { timer?: NodeJS.Timeout; usedAtMs: number }

export function sweepNowAndThen(database: () => Promise<Database>): void {
  const sweeper = state()
  sweeper.usedAtMs = Date.now()
  sweeper.timer ??= later(sweeper, database)
}

function later(sweeper: Sweeper, database: () => Promise<Database>): NodeJS.Timeout {
  return setTimeout(() => void sweep(sweeper, database), SWEEP_EVERY_MS).unref()
}

async function sweep(sweeper: Sweeper, database: () => Promise<Database>): Promise<void> {
  try {
    await sweepRows(await database())
  } catch (error) {
    log().warn({ err: error }, 'old idempotency replies could not be deleted; retrying later')
  }
  sweeper.timer = Date.now() - sweeper.usedAtMs < IDLE_AFTER_MS ? later(sweeper, database) : undefined
}

const state = (): Sweeper => perProcess('rpc-reply-sweep', () => ({ usedAtMs: 0 }))
