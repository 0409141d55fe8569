import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { USDC_EVM } from '@/lib/contract/chains'
import contracts from '../contracts.json' with { type: 'json' }
import { INVALID_PARAMS, RpcError } from '../json-rpc'
import type { Ask } from './anvil.ts'

export const ADDRESSES = {
  usdc: USDC_EVM,
  multicall: '0xcA11bde05977b3631167028862bE2a173976CA11',
  stakingToken: '0x5a7d0000000000000000000000000000005a4e01',
  staking: '0x5a7d0000000000000000000000000000005a4e02',
} as const satisfies Record<string, Hex>

const FAUCET = '0x5a7d000000000000000000000000000000face7d'
const MINT = parseAbi(['function mint(address to, uint256 amount)'])
const STAKING = parseAbi(['constructor(address token)'])

const GAS_MONEY = 10n ** 20n
const TEN_ETHER = 10n ** 19n
const STAKE_UNITS = 10n ** 18n
const STAKE_TOKENS = 25n

/** Installs the contracts on a new chain: their creation is simulated, and the resulting code placed. */
export async function installContracts(ask: Ask): Promise<void> {
  const { SandboxUSDC, StakingToken, Staking } = contracts as Record<string, Hex>
  const stakingCode = encodeDeployData({ abi: STAKING, bytecode: Staking!, args: [ADDRESSES.stakingToken] })
  await place(ask, ADDRESSES.usdc, SandboxUSDC!)
  await installMulticall(ask)
  await place(ask, ADDRESSES.stakingToken, StakingToken!)
  await place(ask, ADDRESSES.staking, stakingCode)
}

export const installMulticall = (ask: Ask): Promise<void> =>
  place(ask, ADDRESSES.multicall, (contracts as Record<string, Hex>).SandboxMulticall!)

export const isInstalled = async (ask: Ask): Promise<boolean> =>
  (await ask<Hex>('eth_getCode', [ADDRESSES.staking, 'latest'])) !== '0x'

export async function openFaucet(ask: Ask): Promise<void> {
  await ask('anvil_impersonateAccount', [FAUCET])
  await ask('anvil_setBalance', [FAUCET, `0x${(GAS_MONEY * 1_000n).toString(16)}`])
}

export async function fundAddress(ask: Ask, to: Hex, usdcUnits: bigint): Promise<void> {
  await ensureEther(ask, to)
  await mint(ask, ADDRESSES.usdc, to, usdcUnits)
  await mint(ask, ADDRESSES.stakingToken, to, STAKE_TOKENS * STAKE_UNITS)
}

export async function ensureEther(ask: Ask, to: Hex): Promise<void> {
  const held = BigInt(await ask<Hex>('eth_getBalance', [to, 'latest']))
  if (held < GAS_MONEY) await ask('anvil_setBalance', [to, `0x${GAS_MONEY.toString(16)}`])
}

export async function addEther(ask: Ask, [to]: unknown[]): Promise<null> {
  if (typeof to !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(to)) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: an address')
  }
  const held = BigInt(await ask<Hex>('eth_getBalance', [to, 'latest']))
  await ask('anvil_setBalance', [to, `0x${(held + TEN_ETHER).toString(16)}`])
  return null
}

async function mint(ask: Ask, token: Hex, to: Hex, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: MINT, args: [to, amount] })
  // The node answers when it is mined.
  const receipt = await ask<{ status: Hex }>('eth_sendTransactionSync', [{ from: FAUCET, to: token, data }])
  if (receipt.status !== '0x1') throw new Error(`minting for ${to} failed`)
}

async function place(ask: Ask, at: Hex, creationCode: Hex): Promise<void> {
  const code = await ask<Hex>('eth_call', [{ data: creationCode }, 'latest'])
  await ask('anvil_setCode', [at, code])
}
