import 'server-only'
import { Pool } from 'undici'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { type Circuit, newCircuit } from '@/lib/kernel/circuit-breaker'
import { perProcess } from '@/lib/kernel/per-process'
import { Latency } from '@/lib/services/rpc-nodes/node-latency'
import { basicToken, secretsOf } from '@/lib/services/rpc-nodes/node-secrets'

/** Of one origin; more wait for a free one. */
const MAX_CONNECTIONS = 64
const CONNECT_TIMEOUT_MS = 3_000
/** Below the five seconds after which the most common servers close a quiet connection. */
const KEEP_ALIVE_MS = 4_000

/** Whether a node is on the chain that it should be on. */
type ChainCheck = {
  state: 'unchecked' | 'right' | 'wrong'
  /** In the time of `performance.now()`, as all times here. */
  checkedAt: number
  running?: Promise<boolean>
}

/** One node of a network, with what is known of it. */
export type RpcNode = {
  readonly network: RpcNetwork
  /** Its place among the network's nodes, from 1: what logs call it. */
  readonly number: number
  /** A test chain on this machine, which may be reset at any time. */
  readonly isLocal: boolean
  readonly pool: Pool
  readonly path: string
  readonly headers: string[]
  /** Texts of its address that must show nowhere. */
  readonly secrets: readonly string[]
  readonly circuit: Circuit
  readonly chain: ChainCheck
  /** Until it begins to answer: ordinary calls, and those that make a node work. */
  readonly light: Latency
  readonly heavy: Latency
  inFlight: number
  height: number | undefined
  heightAt: number
  /** Behind the others by more than a minute of blocks. */
  isLagging: boolean
  /** When the log last heard of its failures. */
  loggedAt: number
}

/** A node from its address. User and password in it become `Authorization`; path and query stay as they are. */
export function createNode(
  network: RpcNetwork,
  address: string,
  { number, isLocal }: { number: number; isLocal: boolean },
): RpcNode {
  const url = new URL(address)
  const token = basicToken(url)
  return {
    network,
    number,
    isLocal,
    pool: poolOf(url.origin),
    path: `${url.pathname}${url.search}`,
    headers: [
      ...['content-type', 'application/json', 'accept', 'application/json'],
      // Bytes go on as they come, so there is nothing to gain from packing them.
      ...['accept-encoding', 'identity', 'user-agent', 'node'],
      ...(token === undefined ? [] : ['authorization', `Basic ${token}`]),
    ],
    secrets: secretsOf(url),
    circuit: newCircuit(),
    chain: { state: 'unchecked', checkedAt: Number.NEGATIVE_INFINITY },
    light: new Latency(),
    heavy: new Latency(),
    inFlight: 0,
    height: undefined,
    heightAt: 0,
    isLagging: false,
    loggedAt: Number.NEGATIVE_INFINITY,
  }
}

/** Networks that are served at one origin share its connections. */
function poolOf(origin: string): Pool {
  const pools = perProcess('rpc-pools', () => new Map<string, Pool>())
  let pool = pools.get(origin)
  if (pool === undefined) {
    pool = new Pool(origin, {
      allowH2: false,
      connections: MAX_CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    })
    pools.set(origin, pool)
  }
  return pool
}
