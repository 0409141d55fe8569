import 'server-only'
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  fallback,
  type PublicClient,
  parseAbi,
} from 'viem'
import { familyOf } from '@/lib/contract/chains'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { BoundedCache } from '@/lib/kernel/expiring-maps'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { Caller } from '@/lib/kernel/request-context'
import { nodeTransport } from '@/lib/services/chains/node-transport'
import { nodesOf } from '@/lib/services/chains/rails'
import { type Sandbox, sandbox } from '@/lib/services/chains/sandbox'
import { allow } from '@/lib/services/ledger/ledger'

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

const NODE_TIMEOUT_MS = 1_500
const MAX_NODES = 2
const DAY_SECONDS = 86_400n
const MAX_SEARCH_STEPS = 64
const USUAL_DECIMALS = 18

const STAKING = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function COOL_DOWN() view returns (uint256)',
])
const TOKEN = parseAbi(['function decimals() view returns (uint8)'])

export class StakeUnknown extends Error {
  override name = 'StakeUnknown'
  readonly reason: 'not-configured' | 'unreachable'

  constructor(reason: StakeUnknown['reason'], options?: ErrorOptions) {
    super(reason === 'not-configured' ? 'staking is not configured' : 'no node told the staked balance', options)
    this.reason = reason
  }
}

export const stakingOf = (): Sandbox['staking'] | undefined => sandbox()?.staking ?? config().staking

/**
 * Reads an address's stake in the token's smallest units.
 * @throws StakeUnknown
 */
export async function stakedBalance(address: string): Promise<bigint> {
  const { chain, contract } = reader()
  const read = { address: contract, abi: STAKING, functionName: 'balanceOf', args: [address as Address] } as const
  return chain.readContract(read).catch(unreachable)
}

/**
 * What of a stake gives credit on the day that began at `dayStartSeconds`: one token stands behind one wallet a day. Where
 * the contract keeps unstaked tokens for a day or more (`COOL_DOWN()`, in seconds), that is all that is staked now. Elsewhere
 * the same tokens could be moved from wallet to wallet, so only what was staked when the day began, and still is.
 *
 * @throws StakeUnknown also where no node has the state of that moment: what cannot be checked gives nothing.
 */
async function creditedStake(address: string, dayStartSeconds: bigint): Promise<bigint> {
  const known = reader()
  const [staked, isLocked] = await Promise.all([stakedBalance(address), locksForADay(known)])
  if (isLocked || staked === 0n) return staked
  const block = await blockOfDay(known, dayStartSeconds)
  const read = { address: known.contract, abi: STAKING, functionName: 'balanceOf', args: [address as Address] } as const
  // A contract that was not there yet held nothing.
  const before = await known.chain
    .readContract({ ...read, blockNumber: block })
    .catch((error: unknown) => (isSilent(error) ? 0n : unreachable(error)))
  return before < staked ? before : staked
}

async function locksForADay(known: Reader): Promise<boolean> {
  known.isLocked ??= await known.chain
    .readContract({ address: known.contract, abi: STAKING, functionName: 'COOL_DOWN' })
    .then(
      (seconds) => seconds >= DAY_SECONDS,
      (error: unknown) => (isSilent(error) ? false : unreachable(error)),
    )
  return known.isLocked
}

async function blockOfDay(known: Reader, dayStartSeconds: bigint): Promise<bigint> {
  if (known.day?.start !== dayStartSeconds) {
    known.day = { start: dayStartSeconds, block: newestBlockAt(known.chain, dayStartSeconds) }
  }
  try {
    return await known.day.block
  } catch (error) {
    known.day = undefined
    return unreachable(error)
  }
}

async function newestBlockAt(chain: PublicClient, seconds: bigint): Promise<bigint> {
  let high = await chain.getBlock()
  if (high.timestamp <= seconds) return high.number
  let low = await chain.getBlock({ blockNumber: 0n })
  for (let step = 0; step < MAX_SEARCH_STEPS && high.number - low.number > 1n && low.timestamp <= seconds; step++) {
    const span = high.number - low.number
    const guess = step % 2 === 0 ? (span * (seconds - low.timestamp)) / (high.timestamp - low.timestamp) : span / 2n
    const ahead = guess < 1n ? 1n : guess < span ? guess : span - 1n
    const block = await chain.getBlock({ blockNumber: low.number + ahead })
    if (block.timestamp <= seconds) low = block
    else high = block
  }
  return low.number
}

async function tokenDecimals(): Promise<number> {
  const known = reader()
  known.decimals ??= await known.chain
    .readContract({ address: known.token, abi: TOKEN, functionName: 'decimals' })
    .catch((error: unknown) => (isSilent(error) ? USUAL_DECIMALS : unreachable(error)))
  return known.decimals
}

type Address = `0x${string}`
type Reader = {
  chain: PublicClient
  token: Address
  contract: Address
  decimals?: number
  isLocked?: boolean
  day?: { start: bigint; block: Promise<bigint> }
}

function reader(): Reader {
  const staking = stakingOf()
  if (!staking) throw new StakeUnknown('not-configured')
  const nodes = nodesOf('evm').slice(0, MAX_NODES)
  if (nodes.length === 0) throw new StakeUnknown('unreachable')
  const readers = perProcess('stake-readers', () => new Map<string, Reader>())
  const name = [staking.token, staking.contract, ...nodes].join()
  const known = readers.get(name)
  if (known) return known
  const transports = nodes.map((url) => nodeTransport(url, { timeoutMs: NODE_TIMEOUT_MS, isBatched: false }))
  const chain = createPublicClient({ transport: fallback(transports, { retryCount: 0 }), ccipRead: false })
  // Both were checked to be addresses where they were read.
  const made = { chain, token: staking.token as Address, contract: staking.contract as Address }
  readers.clear()
  readers.set(name, made)
  return made
}

function isSilent(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const silence = error.walk(
    (cause) => cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError,
  )
  return silence !== null
}

function unreachable(cause: unknown): never {
  throw new StakeUnknown('unreachable', { cause })
}
