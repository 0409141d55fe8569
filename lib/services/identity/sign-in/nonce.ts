import 'server-only'
import { hash } from 'node:crypto'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { isOutage } from '@/lib/db/outage'
import { type Batcher, createBatcher } from '@/lib/kernel/batcher'
import { log } from '@/lib/kernel/log'
import type { AccountStatus } from '@/lib/services/identity/account-status'
import { countNewcomer, newcomerFrom, tooManyNewcomers } from '@/lib/services/identity/sign-in/new-address-limit'
import { signInUnavailable } from '@/lib/services/identity/sign-in/refusal'

/** A proof counts for five minutes, by a clock that may be half a minute ahead. Source: API contract, x402.md 3.4. */
const SIGN_IN_TTL_SECONDS = 330
/**
 * How much longer a proof is remembered than it counts: its times are looked at before its signature is checked, which may
 * take seconds, and the clocks of processes and database differ.
 */
const MARGIN_SECONDS = 60
const PRUNE_EVERY_MS = 60_000
/** Rows that one look deletes; the next look comes sooner while there are that many. */
const PRUNE_BATCH = 20_000
const PRUNE_AGAIN_MS = 1_000
const RETRY_AFTER_SECONDS = 2

export type Claim = {
  /** The wallet that signed, in the form that is its id. */
  wallet: string
  nonce: string
  /** The signed text: under another one the same nonce is another proof. */
  text: string
  /** Whose nonce it is, where it is not the wallet's own. */
  issuer?: string
  /** How long the proof counts. */
  ttlSeconds?: number
  /** The address that it came from: new wallets are counted by it. */
  client?: string
}

/**
 * What became of a claim. `repeated`: this very proof was used before, and still counts. `crowded`: the wallet is new, and
 * its address has brought enough.
 */
export type Claimed = { outcome: 'reused' | 'crowded' } | ({ outcome: 'claimed' | 'repeated' } & WalletAccount)

/** The account that a wallet is: found, or made with its first claim. */
export type WalletAccount = {
  accountId: string
  status: AccountStatus
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
 * @throws ApiError SERVICE_UNAVAILABLE when the database cannot be asked, RATE_LIMIT_EXCEEDED when too many new wallets
 *   came from its address.
 */
export async function claimNonce(claim: Claim): Promise<Claimed> {
  const claimed = await claimNow(claim)
  if (claimed.outcome === 'crowded') throw tooManyNewcomers()
  return claimed
}

async function claimNow(claim: Claim): Promise<Claimed> {
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
  outcome: Claimed['outcome']
  account: string | null
  status: WalletAccount['status']
  is_pro: boolean
  rate_multiplier: number
  is_new: boolean
}

async function claimAll(database: Database, claims: Claim[]): Promise<Claimed[]> {
  const newcomers = claims.map(({ client }) => newcomerFrom(client))
  const requests = claims.map(({ wallet, nonce, text, issuer = wallet, ttlSeconds = SIGN_IN_TTL_SECONDS }, ord) => ({
    ord,
    address: issuer,
    nonce,
    hash: hash('sha256', text, 'hex'),
    ttl: ttlSeconds + MARGIN_SECONDS,
    wallet,
    may_come: newcomers[ord]!.mayCome,
    welcome: newcomers[ord]!.welcome.toString(),
  }))
  const rows = await database.query<Row>('select * from sign_ins($1::jsonb)', [JSON.stringify(requests)])
  const results: Claimed[] = []
  const counted = new Set<string>()
  for (const { ord, outcome, account, status, is_pro, rate_multiplier, is_new } of rows) {
    const { client, wallet } = claims[ord]!
    if (is_new && client !== undefined && !counted.has(wallet)) {
      counted.add(wallet)
      countNewcomer(client, newcomers[ord]!.welcome)
    }
    if (outcome === 'claimed' || outcome === 'repeated') {
      if (account === null) throw new Error('a proof was claimed for a wallet without an account')
      results[ord] = {
        outcome,
        accountId: account,
        status,
        isPro: is_pro,
        rateMultiplier: rate_multiplier,
        isNew: is_new,
      }
    } else {
      results[ord] = { outcome }
    }
  }
  return results
}

function pruneNowAndThen(state: State): void {
  const nowMs = Date.now()
  if (nowMs < state.pruneAtMs) return
  state.pruneAtMs = nowMs + PRUNE_EVERY_MS
  pruneNonces(state.database).then(
    (count) => {
      if (count === PRUNE_BATCH) state.pruneAtMs = Date.now() + PRUNE_AGAIN_MS
    },
    (error: unknown) => {
      log().warn({ error: String(error) }, 'old sign-ins were not dropped; the next look tries again')
    },
  )
}
