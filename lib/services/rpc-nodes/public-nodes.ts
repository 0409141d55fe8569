import 'server-only'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'

/**
 * Nodes that answer everybody, for networks whose operator named none. They promise nothing: for serious use, name your
 * own. Those of EVM chains are what viem's chain data has, written out because that data is of hundreds of chains.
 */
export const PUBLIC_NODES: Readonly<Record<RpcSlug, string>> = {
  'arbitrum-mainnet': 'https://arb1.arbitrum.io/rpc',
  'arbitrum-sepolia': 'https://sepolia-rollup.arbitrum.io/rpc',
  'avalanche-fuji': 'https://api.avax-test.network/ext/bc/C/rpc',
  'avalanche-mainnet': 'https://api.avax.network/ext/bc/C/rpc',
  'base-mainnet': 'https://mainnet.base.org',
  'base-sepolia': 'https://sepolia.base.org',
  'bsc-mainnet': 'https://56.rpc.thirdweb.com',
  'bsc-testnet': 'https://data-seed-prebsc-1-s1.bnbchain.org:8545',
  'ethereum-holesky': 'https://ethereum-holesky-rpc.publicnode.com',
  'ethereum-mainnet': 'https://ethereum.reth.rs/rpc',
  'ethereum-sepolia': 'https://11155111.rpc.thirdweb.com',
  'linea-mainnet': 'https://rpc.linea.build',
  'linea-sepolia': 'https://rpc.sepolia.linea.build',
  'optimism-mainnet': 'https://mainnet.optimism.io',
  'optimism-sepolia': 'https://sepolia.optimism.io',
  'polygon-amoy': 'https://polygon-amoy.drpc.org',
  'polygon-mainnet': 'https://polygon.drpc.org',
  'starknet-mainnet': 'https://api.zan.top/public/starknet-mainnet/rpc/',
  'starknet-sepolia': 'https://api.zan.top/public/starknet-sepolia/rpc/',
  'zksync-mainnet': 'https://mainnet.era.zksync.io',
  'zksync-sepolia': 'https://sepolia.era.zksync.dev',
}
