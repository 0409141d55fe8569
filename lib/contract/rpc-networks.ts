/** Networks of the JSON-RPC proxy, alphabetically. The list is authoritative. Source: API contract, crypto-rpc.md. */
export const RPC_SLUGS = [
  'arbitrum-mainnet',
  'arbitrum-sepolia',
  'avalanche-fuji',
  'avalanche-mainnet',
  'base-mainnet',
  'base-sepolia',
  'bsc-mainnet',
  'bsc-testnet',
  'ethereum-holesky',
  'ethereum-mainnet',
  'ethereum-sepolia',
  'linea-mainnet',
  'linea-sepolia',
  'optimism-mainnet',
  'optimism-sepolia',
  'polygon-amoy',
  'polygon-mainnet',
  'starknet-mainnet',
  'starknet-sepolia',
  'zksync-mainnet',
  'zksync-sepolia',
] as const

export type RpcSlug = (typeof RPC_SLUGS)[number]

export const nodesVariable = (slug: RpcSlug): string => `RPC_URLS_${slug.toUpperCase().replaceAll('-', '_')}`

export type RpcFamily = 'evm' | 'starknet'

export type RpcNetwork = {
  slug: RpcSlug
  family: RpcFamily
  group: string
  name: string
  isTestnet: boolean
  // Chain id as the nodes return it: a hex number, on Starknet the name's characters as one.
  chainId: string
  currency: string
  // Credits of a standard call. Source: API contract, crypto-rpc.md "Pricing".
  credits: number
  blockSeconds: number
}

export const DEFAULT_CREDITS = 20
export const ZKSYNC_CREDITS = 30

const evm = (
  slug: RpcSlug,
  [group, name]: [group: string, name: string],
  chainId: number,
  currency: string,
  blockSeconds: number,
): RpcNetwork => ({
  slug,
  family: 'evm',
  group,
  name,
  isTestnet: !slug.endsWith('-mainnet'),
  chainId: `0x${chainId.toString(16)}`,
  currency,
  credits: group === 'zkSync' ? ZKSYNC_CREDITS : DEFAULT_CREDITS,
  blockSeconds,
})

const starknet = (slug: RpcSlug, name: string, chainId: string): RpcNetwork => ({
  slug,
  family: 'starknet',
  group: 'Starknet',
  name,
  isTestnet: !slug.endsWith('-mainnet'),
  chainId,
  currency: 'STRK',
  credits: DEFAULT_CREDITS,
  blockSeconds: 4,
})

export const NETWORKS: readonly RpcNetwork[] = [
  evm('arbitrum-mainnet', ['Arbitrum', 'Mainnet'], 42_161, 'ETH', 0.25),
  evm('arbitrum-sepolia', ['Arbitrum', 'Sepolia'], 421_614, 'ETH', 0.25),
  evm('avalanche-fuji', ['Avalanche', 'Fuji'], 43_113, 'AVAX', 2),
  evm('avalanche-mainnet', ['Avalanche', 'Mainnet'], 43_114, 'AVAX', 1.7),
  evm('base-mainnet', ['Base', 'Mainnet'], 8_453, 'ETH', 2),
  evm('base-sepolia', ['Base', 'Sepolia'], 84_532, 'ETH', 2),
  evm('bsc-mainnet', ['BNB Chain', 'Mainnet'], 56, 'BNB', 0.75),
  evm('bsc-testnet', ['BNB Chain', 'Testnet'], 97, 'tBNB', 0.75),
  evm('ethereum-holesky', ['Ethereum', 'Holesky'], 17_000, 'ETH', 12),
  evm('ethereum-mainnet', ['Ethereum', 'Mainnet'], 1, 'ETH', 12),
  evm('ethereum-sepolia', ['Ethereum', 'Sepolia'], 11_155_111, 'ETH', 12),
  evm('linea-mainnet', ['Linea', 'Mainnet'], 59_144, 'ETH', 2),
  evm('linea-sepolia', ['Linea', 'Sepolia'], 59_141, 'ETH', 2),
  evm('optimism-mainnet', ['Optimism', 'Mainnet'], 10, 'ETH', 2),
  evm('optimism-sepolia', ['Optimism', 'Sepolia'], 11_155_420, 'ETH', 2),
  evm('polygon-amoy', ['Polygon', 'Amoy'], 80_002, 'POL', 2),
  evm('polygon-mainnet', ['Polygon', 'Mainnet'], 137, 'POL', 2),
  starknet('starknet-mainnet', 'Mainnet', '0x534e5f4d41494e'),
  starknet('starknet-sepolia', 'Sepolia', '0x534e5f5345504f4c4941'),
  evm('zksync-mainnet', ['zkSync', 'Mainnet'], 324, 'ETH', 1),
  evm('zksync-sepolia', ['zkSync', 'Sepolia'], 300, 'ETH', 1),
]

const BY_SLUG: ReadonlyMap<string, RpcNetwork> = new Map(NETWORKS.map((network) => [network.slug, network]))

export const networkOf = (slug: string): RpcNetwork | undefined => BY_SLUG.get(slug)

export type NetworkState = {
  slug: RpcSlug
  state: 'up' | 'slow' | 'down' | 'unknown' | 'unconfigured'
  isLocal: boolean
  height: number | null
  latencyMs: number | null
  checkedAt: string | null
  // Human-readable reason why the network is down; never a node's address.
  reason: string | null
}

export type RpcOverview = { usdPerCredit: number; networks: NetworkState[] }

export type MatrixLine = {
  network: RpcSlug
  status: number
  ms: number
  credits: number
  costUsd: number
  // `result` and `error` come from the node; `failed` means that no node responded, or the service rejected the call.
  outcome: 'result' | 'error' | 'failed'
  // Untrusted data.
  reply?: unknown
  error?: { code: string; message: string }
  height: number | null
}
