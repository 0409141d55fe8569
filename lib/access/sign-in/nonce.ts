import 'server-only'
import { hash } from 'node:crypto'
import { signInUnavailable } from '@/lib/access/sign-in/refusal'
import { type Batcher, createBatcher } from '@/lib/billing/batch'
import { config } from '@/lib/core/config'
import { log } from '@/lib/core/log'
import { type Database, getDb } from '@/lib/db/client'
import { isOutage } from '@/lib/db/outage'

/** A proof counts for five minutes, by a clock that may be half a minute ahead. Source: API contract, x402.md 3.4. */
const SIGN_IN_TTL_SECONDS = 330
const PRUNE_EVERY_MS = 60_000
/** Rows that one look deletes: more than a busy process leaves in a minute. */
const PRUNE_BATCH = 20_000
const RETRY_AFTER_SECONDS = 2

export type Claim = {
  /** The wallet that signed, in the form that is its id. */
  wallet: string
  nonce: string
  /** The signed text: under another one the same nonce is another proof. */
  text: string
  /** Whose nonce it is, where it is not the wallet's own. */
  issuer?: string
  ttlSeconds?: number
}

/** What became of a claim. `repeated`: this very proof was used before, and still counts. */
export type Claimed = { outcome: 'reused' } | ({ outcome: 'claimed' | 'repeated' } & WalletAccount)

/** The account that a wallet is: found, or made with its first claim. */
export type WalletAccount = {
  accountId: string
  status: 'active' | 'disabled' | 'inactive'
  isPro: boolean
  rateMultiplier: number
  isNew: boolean
}

type State = { database: Database; claims: Batcher<Claim, Claimed>; pruneAtMs: number }
const holder = globalThis as typeof globalThis & { __serviceSignIns?: State }

/**
 * Uses a proof up: of all claims of one nonce, in every process, the first gets it. An account that is made for it gets the
 * welcome credit. One round trip for the claims of one moment.
 *
 * @throws ApiError SERVICE_UNAVAILABLE when the database cannot be asked.
 */
export async function claimNonce(claim: Claim): Promise<Claimed> {
  try {
    const state = await own()
    const claimed = await state.claims.add(claim)
    pruneNowAndThen(state)
    return claimed
  } catch (cause) {
    if (!isOutage(cause)) throw cause
    throw signInUnavailable('Sign-ins cannot be checked at the moment.', RETRY_AFTER_SECONDS, cause)
  }
}

/** Drops proofs that are too old to be tried again; answers how many. Bounded, and in nobody's way. */
export async function pruneNonces(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `with old as (
       select address, nonce from sign_in_nonce where expires_at <= now() order by expires_at limit $1 for update skip locked
     ), gone as (
       delete from sign_in_nonce n using old o where n.address = o.address and n.nonce = o.nonce returning 1
     )
     select count(*)::int as count from gone`,
    [PRUNE_BATCH],
  )
  return row?.count ?? 0
}

async function own(): Promise<State> {
  const database = await getDb()
  if (holder.__serviceSignIns?.database !== database) {
    holder.__serviceSignIns = { database, claims: createClaims(database), pruneAtMs: Date.now() + PRUNE_EVERY_MS }
  }
  return holder.__serviceSignIns
}

/** Claims on one database. A process has one (`claimNonce`); tests have many, as many processes would. */
export const createClaims = (database: Database): Batcher<Claim, Claimed> =>
  createBatcher((claims: Claim[]) => claimAll(database, claims), isOutage)

type Row = {
  ord: number
  outcome: 'claimed' | 'repeated' | 'reused'
  account: string | null
  status: WalletAccount['status']
  is_pro: boolean
  rate_multiplier: number
  is_new: boolean
}

async function claimAll(database: Database, claims: Claim[]): Promise<Claimed[]> {
  const welcome = config().welcomeCredit.toString()
  const requests = claims.map(({ wallet, nonce, text, issuer = wallet, ttlSeconds = SIGN_IN_TTL_SECONDS }, ord) => ({
    ord,
    address: issuer,
    nonce,
    hash: hash('sha256', text, 'hex'),
    ttl: ttlSeconds,
    wallet,
    welcome,
  }))
  const rows = await database.query<Row>('select * from sign_ins($1::jsonb)', [JSON.stringify(requests)])
  const results: Claimed[] = []
  for (const { ord, outcome, account, status, is_pro, rate_multiplier, is_new } of rows) {
    results[ord] =
      outcome === 'reused' || account === null
        ? { outcome: 'reused' }
        : { outcome, accountId: account, status, isPro: is_pro, rateMultiplier: rate_multiplier, isNew: is_new }
  }
  return results
}

function pruneNowAndThen(state: State): void {
  const nowMs = Date.now()
  if (nowMs < state.pruneAtMs) return
  state.pruneAtMs = nowMs + PRUNE_EVERY_MS
  pruneNonces(state.database).catch((error: unknown) => {
    log().warn({ error: String(error) }, 'old sign-ins were not dropped; the next look tries again')
  })
}
