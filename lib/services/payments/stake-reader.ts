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
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { nodeTransport } from '@/lib/services/chains/node-transport'
import { nodesOf } from '@/lib/services/chains/rails'
import { type Sandbox, sandbox } from '@/lib/services/chains/sandbox'

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
export async function creditedStake(address: string, dayStartSeconds: bigint): Promise<bigint> {
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

export async function tokenDecimals(): Promise<number> {
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
