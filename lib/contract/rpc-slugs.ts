/** The networks of the JSON-RPC proxy, alphabetically: the list is authoritative. Browser-safe. Source: API contract, crypto-rpc.md. */
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

/** The variable that names a network's nodes: `RPC_URLS_BASE_MAINNET`. */
export const nodesVariable = (slug: RpcSlug): string => `RPC_URLS_${slug.toUpperCase().replaceAll('-', '_')}`
