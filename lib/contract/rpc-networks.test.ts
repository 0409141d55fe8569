import * as chains from 'viem/chains'
import { expect, test } from 'vitest'
import { NETWORKS, networkOf, RPC_SLUGS } from '@/lib/contract/rpc-networks'

const CHAINS: Record<string, chains.Chain | 'SN_MAIN' | 'SN_SEPOLIA'> = {
  'arbitrum-mainnet': chains.arbitrum,
  'arbitrum-sepolia': chains.arbitrumSepolia,
  'avalanche-fuji': chains.avalancheFuji,
  'avalanche-mainnet': chains.avalanche,
  'base-mainnet': chains.base,
  'base-sepolia': chains.baseSepolia,
  'bsc-mainnet': chains.bsc,
  'bsc-testnet': chains.bscTestnet,
  'ethereum-holesky': chains.holesky,
  'ethereum-mainnet': chains.mainnet,
  'ethereum-sepolia': chains.sepolia,
  'linea-mainnet': chains.linea,
  'linea-sepolia': chains.lineaSepolia,
  'optimism-mainnet': chains.optimism,
  'optimism-sepolia': chains.optimismSepolia,
  'polygon-amoy': chains.polygonAmoy,
  'polygon-mainnet': chains.polygon,
  'starknet-mainnet': 'SN_MAIN',
  'starknet-sepolia': 'SN_SEPOLIA',
  'zksync-mainnet': chains.zksync,
  'zksync-sepolia': chains.zksyncSepoliaTestnet,
}

test('the networks are those of the contract, alphabetically', () => {
  expect(NETWORKS.map(({ slug }) => slug)).toEqual(Object.keys(CHAINS))
  expect(RPC_SLUGS).toEqual(Object.keys(CHAINS))
  expect([...RPC_SLUGS].sort()).toEqual([...RPC_SLUGS])
})

test.each(NETWORKS)('$slug has the chain id and the coin of its chain', ({ slug, chainId, currency, family }) => {
  const chain = CHAINS[slug]!
  if (typeof chain === 'string') {
    expect({ chainId, family }).toEqual({ chainId: `0x${Buffer.from(chain).toString('hex')}`, family: 'starknet' })
  } else {
    expect({ chainId, family }).toEqual({ chainId: `0x${chain.id.toString(16)}`, family: 'evm' })
    expect(currency).toBe(chain.nativeCurrency.symbol)
  }
})

test.each(NETWORKS)('$slug is a test network if its chain is one', ({ slug, isTestnet }) => {
  const chain = CHAINS[slug]!
  expect(isTestnet).toBe(typeof chain === 'string' ? chain === 'SN_SEPOLIA' : chain.testnet === true)
})

test('a standard call is 20 credits, on zkSync 30', () => {
  for (const { slug, credits } of NETWORKS) expect(credits).toBe(slug.startsWith('zksync-') ? 30 : 20)
})

test('a slug is found as it is written and in no other way', () => {
  expect(networkOf('base-mainnet')?.slug).toBe('base-mainnet')
  for (const slug of [
    'Base-Mainnet',
    'base_mainnet',
    ' base-mainnet',
    'base-mainnet/',
    '__proto__',
    'constructor',
    '',
  ]) {
    expect(networkOf(slug)).toBeUndefined()
  }
})
