import { expect, test } from '@/e2e/contract/shared-stage'
import { type Answer, ask, expectNoLeak, nanoOf } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'
import { NODE_SECRET, type RpcNode } from '@/e2e/testing/rpc-node'

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

/** The shared server, whose nodes answer what a test says. Once per file, at its top. */
export function rpcContract(): RpcStage {
  const on = { call, balance } as RpcStage
  const keys: string[] = []

  test.beforeAll(async ({ shared: { stage, nodes } }) => {
    for (const node of Object.values(nodes)) node.reset()
    Object.assign(on, { ...nodes, stage })
    for (let account = 0; account < ACCOUNTS; account++) keys.push(await stage.newKey())
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
