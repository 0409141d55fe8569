import * as chains from 'viem/chains'
import { expect, test } from 'vitest'
import { NETWORKS } from '@/lib/contract/rpc'
import { PUBLIC_NODES } from '@/lib/services/rpc-nodes/nodes'

test.each(NETWORKS)('$slug has a public node with TLS', ({ slug }) => {
  expect(new URL(PUBLIC_NODES[slug]).protocol).toBe('https:')
})

test.each(NETWORKS.filter(({ family }) => family === 'evm'))('that of $slug is one of viem’s', ({ slug, chainId }) => {
  const known = Object.values(chains).filter((chain) => chain.id === Number(chainId))
  const urls = known.flatMap((chain) => Object.values(chain.rpcUrls).flatMap(({ http }) => http))
  expect(urls).toContain(PUBLIC_NODES[slug])
})
