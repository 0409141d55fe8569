import 'server-only'
import { EVM_NETWORK, type Family, type Network, SOLANA_NETWORK, USDC_EVM, USDC_SOLANA } from '@/lib/contract/chains'
import { config } from '@/lib/kernel/config'
import { sandbox } from '@/lib/services/chains/sandbox'

export type Rail = {
  family: Family
  /** CAIP-2. */
  network: Network
  alias: 'base' | 'solana'
  asset: string
  payTo: string
  rpcUrls: string[]
  extra: { name: string; version: string }
}

const USDC_DOMAIN = { name: 'USD Coin', version: '2' } as const

/**
 * Lists the configured rails, EVM first: published clients take the first. In sandbox mode those of the local chains.
 */
export function rails(): Rail[] {
  const { evm, solana } = receivers()
  const configured: Rail[] = []
  if (evm) {
    configured.push({ family: 'evm', network: EVM_NETWORK, alias: 'base', asset: USDC_EVM, extra: USDC_DOMAIN, ...evm })
  }
  if (solana) {
    configured.push({
      family: 'solana',
      network: SOLANA_NETWORK,
      alias: 'solana',
      asset: USDC_SOLANA,
      extra: USDC_DOMAIN,
      ...solana,
    })
  }
  return configured
}

/** Source: API contract, x402.md 1. */
const MAX_TIMEOUT_SECONDS = 300

export function paymentTerms(rail: Rail, amount: bigint, feePayer?: string) {
  return {
    scheme: 'exact',
    network: rail.network,
    asset: rail.asset,
    amount: amount.toString(),
    payTo: rail.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { ...rail.extra, ...(feePayer !== undefined && { feePayer }) },
  }
}

export function nodesOf(family: Family): string[] {
  const local = sandbox()
  if (local) return [family === 'evm' ? local.evmUrl : local.solanaUrl]
  return config().isSandbox ? [] : config().walletRpcUrls[family]
}

type Receiver = Pick<Rail, 'payTo' | 'rpcUrls'>

function receivers(): { evm?: Receiver; solana?: Receiver } {
  const { isSandbox, payTo, walletRpcUrls } = config()
  if (!isSandbox) {
    return {
      ...(payTo.evm !== undefined && { evm: { payTo: payTo.evm, rpcUrls: walletRpcUrls.evm } }),
      ...(payTo.solana !== undefined && { solana: { payTo: payTo.solana, rpcUrls: walletRpcUrls.solana } }),
    }
  }
  const local = sandbox()
  if (!local) return {}
  return {
    evm: { payTo: local.payTo.evm, rpcUrls: [local.evmUrl] },
    solana: { payTo: local.payTo.solana, rpcUrls: [local.solanaUrl] },
  }
}
