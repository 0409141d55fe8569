import { cpuMs } from '@/bench/children'
import type { RpcLoad } from '@/bench/load-client'
import type { RpcBed, RpcTarget } from '@/bench/rpc-targets'

export type RpcLegName = 'rpc-c1' | 'rpc-c32' | 'rpc-c32-keys' | 'rpc-batch-5' | 'rpc-c32-same'

export type RpcLeg = {
  name: RpcLegName
  what: string
  load: Pick<RpcLoad, 'connections' | 'batch' | 'isSame'>
  hasOwnKeys?: boolean
}

export const ACCOUNTS = 32

// Calls that differ, so that each has to reach the node; at the end the same one from all, which ours joins.
export const RPC_LEGS: RpcLeg[] = [
  { name: 'rpc-c1', what: 'one call, 1 connection', load: { connections: 1, batch: 0, isSame: false } },
  { name: 'rpc-c32', what: 'one call, 32 connections', load: { connections: 32, batch: 0, isSame: false } },
  {
    name: 'rpc-c32-keys',
    what: 'one call, 32 connections of 32 accounts',
    load: { connections: 32, batch: 0, isSame: false },
    hasOwnKeys: true,
  },
  { name: 'rpc-batch-5', what: 'batch of 5, 32 connections', load: { connections: 32, batch: 5, isSame: false } },
  { name: 'rpc-c32-same', what: 'the same call, 32 connections', load: { connections: 32, batch: 0, isSame: true } },
]

export type RpcMeasured = {
  p50Ms: number
  p99Ms: number
  perSecond: number
  /** CPU of the process under test, all its threads. */
  cpuPerRequestUs?: number
  faults: string[]
}

export async function measureRpcLeg(
  { client }: Pick<RpcBed, 'client'>,
  { origin, path, keys, pid }: RpcTarget,
  { load, hasOwnKeys }: RpcLeg,
  durationMs: number,
): Promise<RpcMeasured> {
  const before = pid === undefined ? 0 : cpuMs(pid)
  const request = { origin, path, keys: hasOwnKeys ? keys : keys.slice(0, 1), durationMs, ...load }
  const { requests, elapsedMs, p50Ms, p99Ms, faults } = await client.call('rpc', request)
  return {
    p50Ms,
    p99Ms,
    perSecond: (requests * 1000) / elapsedMs,
    cpuPerRequestUs: pid === undefined ? undefined : ((cpuMs(pid) - before) * 1000) / requests,
    faults,
  }
}
