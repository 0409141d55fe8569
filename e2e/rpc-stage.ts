import { type Answer, ask, expectNoLeak, nanoOf } from '@/e2e/ask'
import { openStage, type Stage } from '@/e2e/contract-stage'
import { expect, test } from '@/e2e/contract-test'
import { NODE_SECRET, type RpcNode, startRpcNode } from '@/e2e/rpc-node'
import { freePort } from '@/scripts/tools/free-port'

/** Nano-dollars. */
export const NANO_PER_CREDIT = 700n
/** Accounts in turn: each has a hundred requests a minute. */
const ACCOUNTS = 6

/** What a test of the RPC proxy works with; all of it is there from the first test on. */
type RpcStage = {
  stage: Stage
  base: RpcNode
  zksync: RpcNode
  starknet: RpcNode
  /** Of the account whose turn it is. */
  key: string
  /** Posts to a network. Nothing that comes back may name the node. */
  call: (network: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** What the account has, in nano-dollars, without spending any of it. */
  balance: () => Promise<bigint>
}

/** The built server with nodes that answer what a test says. Once per file, at its top. */
export function rpcContract(): RpcStage {
  const on = { call, balance } as RpcStage
  const keys: string[] = []

  test.beforeAll(async () => {
    test.setTimeout(120_000)
    const [base, zksync, starknet] = await Promise.all([
      startRpcNode('0x2105'),
      startRpcNode('0x144'),
      startRpcNode('0x534e5f4d41494e'),
    ])
    const stage = await openStage(
      { failedRequests: { count: 1_000 } },
      {
        RPC_URLS_BASE_MAINNET: base.url,
        RPC_URLS_ZKSYNC_MAINNET: zksync.url,
        RPC_URLS_STARKNET_MAINNET: starknet.url,
        RPC_URLS_BSC_MAINNET: `http://127.0.0.1:${await freePort()}/${NODE_SECRET}`,
      },
    )
    Object.assign(on, { base, zksync, starknet, stage })
    for (let account = 0; account < ACCOUNTS; account++) keys.push(await stage.newKey())
  })
  test.afterAll(async () => {
    await on.stage?.stop()
    for (const node of [on.base, on.zksync, on.starknet]) await node?.close()
  })
  test.beforeEach(() => {
    on.key = keys.shift()!
    keys.push(on.key)
  })
  return on

  async function call(network: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await ask(on.stage, on.key, body, headers, `crypto/rpc/${network}`)
    const seen = answer.text + JSON.stringify([...answer.headers])
    expectNoLeak(seen)
    expect(seen).not.toContain(NODE_SECRET)
    return answer
  }

  async function balance(): Promise<bigint> {
    const response = await fetch(`${on.stage.baseUrl}/models`, { headers: { authorization: `Bearer ${on.key}` } })
    return nanoOf(response.headers.get('x-service-balance-usd')!)
  }
}

export const rpc = (method: string, params: unknown = [], id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })

/** The two price headers of an answer. */
export const priceOf = ({ headers }: Answer) => [
  headers.get('x-service-rpc-credits'),
  headers.get('x-service-rpc-cost-usd'),
]
export const cost = (credits: number): string => (credits * 7e-7).toFixed(8)
export const priced = (credits: number) => [String(credits), cost(credits)]
