import 'server-only'
import { BaseError } from 'viem'
import { familyOf } from '@/lib/contract/chains'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { BoundedCache } from '@/lib/kernel/bounded-cache'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { Caller } from '@/lib/kernel/request-context'
import { allow } from '@/lib/services/ledger/ledger'
import { creditedStake, StakeUnknown, stakingOf, tokenDecimals } from '@/lib/services/payments/stake-reader'

const REFRESH_MS = 60_000
const RETRY_MS = 30_000
const MAX_KNOWN = 10_000
const DAY_MS = 86_400_000
const NANO_DECIMALS = 9
/** A billion dollars: a token that anyone can mint must not overflow the ledger. */
const MAX_DAILY_CREDIT = nano(1_000_000_000n * 1_000_000_000n)

type Known = {
  address?: string
  staked?: Usd
  day?: string
  dueAt: number
  pendingRead?: Promise<void>
}
type Clock = { nowMs: number; utcMs: () => Promise<number> }
type Shared = { accounts: BoundedCache<string, Known>; downUntil: number; isDown: boolean }

/**
 * Brings a wallet's daily credit up to date before it is spent: one staked token is one dollar a UTC day, and what the day
 * before left expires. Keys of a wallet's account count as the wallet. Nothing to wait for when the account was looked at
 * in this minute of this day. Never fails: without an answer from the chain the request goes on with what is there.
 * Source: API contract, README 13.
 */
export function refreshAllowance(caller: Caller, clock = ownClock()): Promise<void> | undefined {
  const { nowMs } = clock
  if (caller.kind !== 'wallet' || !stakingOf()) return undefined
  if (caller.address !== undefined && familyOf(caller.address) !== 'evm') return undefined
  const known = knownOf(caller.accountId, nowMs)
  if (known.pendingRead) return known.pendingRead
  if (nowMs < known.dueAt) return undefined
  known.pendingRead = refresh(caller, known, clock).finally(() => {
    known.pendingRead = undefined
  })
  return known.pendingRead
}

export type AllowanceState = {
  staked?: Usd
  granted: Usd
  refreshesAt: Date
}

/**
 * Reads an account's daily credit as it stands; undefined when staking is not set up. Call `refreshAllowance` first.
 */
export async function allowanceOf(accountId: string, clock = ownClock()): Promise<AllowanceState | undefined> {
  if (!stakingOf()) return undefined
  const utcMs = await clock.utcMs()
  const { query } = await getDb()
  const [row] = await query<{ granted: string }>(
    'select granted::text as granted from allowance where account_id = $1 and day = $2',
    [accountId, dayOf(utcMs)],
  )
  return {
    staked: knownOf(accountId, clock.nowMs).staked,
    granted: row ? nano(BigInt(row.granted)) : ZERO,
    refreshesAt: new Date(endOfDay(utcMs)),
  }
}

async function refresh(caller: Caller, known: Known, { nowMs, utcMs }: Clock): Promise<void> {
  known.dueAt = nowMs + RETRY_MS
  try {
    const today = await utcMs()
    const day = dayOf(today)
    const untilTomorrow = nowMs + endOfDay(today) - today
    known.dueAt = Math.min(known.dueAt, untilTomorrow)
    known.address ??= caller.address ?? (await walletOf(caller.accountId))
    const staked = familyOf(known.address) === 'evm' ? await readStake(known.address, nowMs, startOfDay(today)) : ZERO
    // Yesterday's credit has expired, whether or not the chain can be asked.
    if (staked === undefined && known.day === day) return
    await allow(caller.accountId, day, staked ?? ZERO)
    known.day = day
    if (staked === undefined) return
    known.staked = staked
    known.dueAt = Math.min(nowMs + REFRESH_MS, untilTomorrow)
  } catch (error) {
    log().warn({ account: caller.accountId, err: error }, 'the daily credit could not be updated')
  }
}

async function readStake(address: string, nowMs: number, dayBeganMs: number): Promise<Usd | undefined> {
  const state = shared()
  if (nowMs < state.downUntil) return undefined
  try {
    const [units, decimals] = await Promise.all([creditedStake(address, BigInt(dayBeganMs / 1_000)), tokenDecimals()])
    if (state.isDown) log().info('staked balances are available again')
    state.isDown = false
    return dollarsOf(units, decimals)
  } catch (error) {
    if (!(error instanceof StakeUnknown)) throw error
    state.downUntil = nowMs + RETRY_MS
    if (!state.isDown) log().warn({ error: causeOf(error) }, 'staked balances are unavailable; continuing without them')
    state.isDown = true
    return undefined
  }
}

function causeOf({ cause, message }: StakeUnknown): string {
  return cause instanceof BaseError ? cause.walk().message.split('\n', 1)[0]! : message
}

/**
 * One token is one dollar.
 * @example dollarsOf(2_500_000_000_000_000_000n, 18) // 2_500_000_000n
 */
export function dollarsOf(units: bigint, decimals: number): Usd {
  const amount =
    decimals >= NANO_DECIMALS
      ? units / 10n ** BigInt(decimals - NANO_DECIMALS)
      : units * 10n ** BigInt(NANO_DECIMALS - decimals)
  return amount < MAX_DAILY_CREDIT ? nano(amount) : MAX_DAILY_CREDIT
}

const ownClock = (): Clock => ({ nowMs: performance.now(), utcMs: databaseUtcMs })

async function databaseUtcMs(): Promise<number> {
  const { query } = await getDb()
  const [row] = await query<{ ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms')
  if (!row) throw new Error('the database did not tell the time')
  return row.ms
}

async function walletOf(accountId: string): Promise<string> {
  const { query } = await getDb()
  const [row] = await query<{ ref: string | null }>('select ref from account where id = $1', [accountId])
  return row?.ref ?? ''
}

function knownOf(accountId: string, nowMs: number): Known {
  const { accounts } = shared()
  const known = accounts.get(accountId, nowMs) ?? { dueAt: 0 }
  accounts.set(accountId, known, nowMs)
  return known
}

const shared = (): Shared =>
  perProcess('allowances', () => ({ accounts: new BoundedCache(MAX_KNOWN, DAY_MS), downUntil: 0, isDown: false }))

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const startOfDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS
const endOfDay = (ms: number): number => startOfDay(ms) + DAY_MS
