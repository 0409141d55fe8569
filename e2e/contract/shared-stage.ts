import { ABLE, ASSISTED, BLIND, EMBEDDED } from '@/e2e/testing/contract-models'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { test as base } from '@/e2e/testing/contract-test'
import { type LocalSite, startLocalSite } from '@/e2e/testing/local-site'
import { NODE_SECRET, type RpcNode, startRpcNode } from '@/e2e/testing/rpc-node'
import { openWalletStage, type WalletStage } from '@/e2e/testing/wallet-stage'
import { freePort } from '@/scripts/tools/free-port'

export { expect } from '@/e2e/testing/contract-test'

export type SharedStage = {
  stage: Stage
  /** All of the web that the server reads and searches. */
  site: LocalSite
  nodes: { base: RpcNode; zksync: RpcNode; starknet: RpcNode }
}

const START_TIMEOUT_MS = 180_000

/**
 * A test of the contract on a server that serves all files of a run, started when the first of them asks for it. A file
 * takes accounts of its own from it, and opens its own stage (`openStage`) for settings that others would notice.
 */
export const test = base.extend<object, { shared: SharedStage; wallets: WalletStage }>({
  shared: [
    async ({}, use) => {
      const { close, ...shared } = await openSharedStage()
      await use(shared)
      await close()
    },
    { scope: 'worker', timeout: START_TIMEOUT_MS },
  ],
  /** Without welcome credit: what a wallet has is what it paid. */
  wallets: [
    async ({}, use) => {
      const stage = await openWalletStage()
      await use(stage)
      await stage.stop()
    },
    { scope: 'worker', timeout: START_TIMEOUT_MS },
  ],
})

async function openSharedStage(): Promise<SharedStage & { close: () => Promise<void> }> {
  const site = await startLocalSite()
  const nodes = {
    base: await startRpcNode('0x2105'),
    zksync: await startRpcNode('0x144'),
    starknet: await startRpcNode('0x534e5f4d41494e'),
  }
  const closeOthers = async () => {
    await Promise.all([site, ...Object.values(nodes)].map((server) => server.close()))
  }
  const limits = { failedRequests: { count: 0 }, tiers: { L: { requestsPerMinute: 1 } } }
  const variables = {
    EMBEDDED_MODELS: 'lean',
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: site.origin,
    EGRESS_ALLOW_ORIGINS: site.origin,
    RPC_URLS_BASE_MAINNET: nodes.base.url,
    RPC_URLS_ZKSYNC_MAINNET: nodes.zksync.url,
    RPC_URLS_STARKNET_MAINNET: nodes.starknet.url,
    RPC_URLS_BSC_MAINNET: `http://127.0.0.1:${await freePort()}/${NODE_SECRET}`,
  }
  const thinker = { ...ABLE, id: 'thinker', engine: 'thinks', upstreamModel: 'thinks' }
  const models = [ABLE, ASSISTED, BLIND, thinker, ...EMBEDDED]
  try {
    const stage = await openStage(limits, variables, models)
    const close = async () => {
      await stage.stop()
      await closeOthers()
    }
    return { stage, site, nodes, close }
  } catch (error) {
    await closeOthers()
    throw error
  }
}
