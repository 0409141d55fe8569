import { type Address, isAddress } from '@solana/kit'
import { INVALID_PARAMS, RpcError, type RpcRequest } from '../json-rpc'
import { solanaMethods } from './methods'
import { openState } from './state'
import { ensureLamports, fundUsdc, mintOf, putMint, USDC } from './tokens'

const FUND = 'sandbox_fund'
const GAS_LAMPORTS = 10_000_000_000n

export type SolanaChain = {
  answer: (request: RpcRequest) => unknown
  fund: (address: Address, usdcUnits: bigint) => Promise<void>
  skipSlots: (count: number) => void
  stop: () => void
}

export async function startSolana(options: {
  folder?: string
  payer: Address
  receiver: Address
}): Promise<SolanaChain> {
  const state = openState(options.folder)
  if (!mintOf(state.account(USDC))) putMint(state, 0n)
  ensureLamports(state, options.payer, GAS_LAMPORTS)
  // A transfer to an owner without one fails.
  await fundUsdc(state, options.receiver, 0n)

  const fund = async (address: Address, usdcUnits: bigint) => {
    ensureLamports(state, address, GAS_LAMPORTS)
    await fundUsdc(state, address, usdcUnits)
  }
  const methods = solanaMethods(state)
  return {
    answer: (request) => (request.method === FUND ? fund(...fundParams(request.params)) : methods(request)),
    fund,
    skipSlots: state.skipSlots,
    stop: state.close,
  }
}

function fundParams([address, units]: unknown[]): [Address, bigint] {
  if (typeof address === 'string' && isAddress(address) && /^\d{1,18}$/.test(String(units))) {
    return [address, BigInt(String(units))]
  }
  throw new RpcError(INVALID_PARAMS, 'Invalid params: an address, and base units of USDC as text')
}
