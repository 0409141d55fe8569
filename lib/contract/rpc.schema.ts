import type { RpcSlug } from '@/lib/contract/rpc-slugs'

/** How a network does right now, as its nodes' health says it. Browser-safe. */
export type NetworkState = {
  slug: RpcSlug
  state: 'up' | 'slow' | 'down' | 'unknown' | 'unconfigured'
  /** A test chain on this machine stands in for the network. */
  isLocal: boolean
  /** Of the newest block that a healthy node has. */
  height: number | null
  /** How long the best node took to answer its last check. */
  latencyMs: number | null
  /** ISO 8601. */
  checkedAt: string | null
  /** Why it is not up, in words for people; never an address of a node. */
  reason: string | null
}

/** What `GET /api/rpc/networks` answers. */
export type RpcOverview = { usdPerCredit: number; networks: NetworkState[] }

/** One line of `POST /api/rpc/matrix`: one network's answer. */
export type MatrixLine = {
  network: RpcSlug
  status: number
  ms: number
  credits: number
  costUsd: number
  /** `result` and `error` are the node's; `failed` is when no node answered, or the service said no. */
  outcome: 'result' | 'error' | 'failed'
  /** The JSON-RPC object of the node: data from outside. */
  reply?: unknown
  error?: { code: string; message: string }
  height: number | null
}
