import 'server-only'
import { hash } from 'node:crypto'
import type { ApiError } from '@/lib/contract/errors'
import { type Usd, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { isOutage } from '@/lib/db/outage'
import { type Batcher, createBatcher } from '@/lib/kernel/batcher'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { AccountStatus } from '@/lib/services/identity/credentials'
import { MAX_AGE_MS, MAX_AHEAD_MS } from '@/lib/services/identity/sign-in/challenge'
import { signInUnavailable } from '@/lib/services/identity/sign-in/parse-message'
import { type LocalWindows, memoryWindows, windowEnd, windowIsFull } from '@/lib/services/limits/limits'

/** Source: API contract, x402.md 3.4. */
const SIGN_IN_TTL_SECONDS = (MAX_AGE_MS + MAX_AHEAD_MS) / 1_000
/**
 * A proof is remembered for longer than it counts: its times are checked before its signature, which may take seconds,
 * and the clocks of processes and database differ.
 */
const MARGIN_SECONDS = 60
const PRUNE_EVERY_MS = 60_000
const PRUNE_BATCH = 20_000
const PRUNE_AGAIN_MS = 1_000
const RETRY_AFTER_SECONDS = 2

export type Claim = {
  wallet: string
  nonce: string
  text: string
  issuer?: string
  ttlSeconds?: number
  client?: string
}

/**
 * `repeated`: this very proof was used before, and still counts. `crowded`: the wallet is new, and its address has
 * brought too many.
 */
export type Claimed = { outcome: 'reused' | 'crowded' } | ({ outcome: 'claimed' | 'repeated' } & WalletAccount)

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
 * Uses a proof up: of all claims of one nonce, in every process, the first gets it. A new account gets the welcome
 * credit. One round trip for the claims of one moment.
 * @throws ApiError SERVICE_UNAVAILABLE when the database cannot be asked, RATE_LIMIT_EXCEEDED when too many new wallets
 * came from its address.
 */
export async function claimNonce(claim: Claim): Promise<Claimed> {
  const claimed = await claimNow(claim)
  if (claimed.outcome === 'crowded') throw tooManyNewWallets()
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
  const terms = claims.map(({ client }) => newWalletTerms(client))
  const requests = claims.map(({ wallet, nonce, text, issuer = wallet, ttlSeconds = SIGN_IN_TTL_SECONDS }, ord) => ({
    ord,
    address: issuer,
    nonce,
    hash: hash('sha256', text, 'hex'),
    ttl: ttlSeconds + MARGIN_SECONDS,
    wallet,
    may_come: terms[ord]!.isAllowed,
    welcome: terms[ord]!.welcome.toString(),
  }))
  const rows = await database.query<Row>('select * from sign_ins($1::jsonb)', [JSON.stringify(requests)])
  const results: Claimed[] = []
  const counted = new Set<string>()
  for (const { ord, outcome, account, status, is_pro, rate_multiplier, is_new } of rows) {
    const { client, wallet } = claims[ord]!
    if (is_new && client !== undefined && !counted.has(wallet)) {
      counted.add(wallet)
      countNewWallet(client, terms[ord]!.welcome)
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
      log().warn({ error: String(error) }, 'old sign-ins could not be deleted; retrying later')
    },
  )
}

/**
 * Bounds what fresh key pairs cost an hour: wallets are free and their accounts stay; the welcome credit of a live
 * service is the house's money.
 */
const MAX_ACCOUNTS_PER_ADDRESS = 1_000
const MAX_WELCOMES_PER_ADDRESS = 200
const MAX_WELCOMES = 1_000
const NEW_WALLETS_WINDOW_MS = 3_600_000

type NewWallet = { isAllowed: boolean; welcome: Usd }

export function newWalletTerms(clientAddress: string | undefined): NewWallet {
  const { welcomeCredit } = config()
  if (clientAddress === undefined) return { isAllowed: true, welcome: welcomeCredit }
  const endsAtMs = windowEnd(Date.now(), NEW_WALLETS_WINDOW_MS)
  const isBelow = (key: string, limit: number) => newWalletWindows().spent(key, limit, endsAtMs) < limit
  const isWelcome =
    isBelow(`welcomes of ${clientAddress}`, MAX_WELCOMES_PER_ADDRESS) && isBelow('welcomes', MAX_WELCOMES)
  return {
    isAllowed: isBelow(`accounts of ${clientAddress}`, MAX_ACCOUNTS_PER_ADDRESS),
    welcome: isWelcome ? welcomeCredit : ZERO,
  }
}

export function countNewWallet(clientAddress: string, welcome: Usd): void {
  const endsAtMs = windowEnd(Date.now(), NEW_WALLETS_WINDOW_MS)
  const count = (key: string, limit: number) => newWalletWindows().spend(key, 1, limit, endsAtMs)
  count(`accounts of ${clientAddress}`, MAX_ACCOUNTS_PER_ADDRESS)
  if (welcome === 0n) return
  count(`welcomes of ${clientAddress}`, MAX_WELCOMES_PER_ADDRESS)
  count('welcomes', MAX_WELCOMES)
}

function tooManyNewWallets(): ApiError {
  const nowMs = Date.now()
  const message = 'Too many new wallets from this address in this hour. Wallets that were here before may sign in.'
  return windowIsFull(message, windowEnd(nowMs, NEW_WALLETS_WINDOW_MS), nowMs)
}

const newWalletWindows = (): LocalWindows => perProcess('new-wallets', () => memoryWindows())
