import { cpuMs, mainThreadCpuMs } from '@/bench/children'
import { medians, percentile } from '@/bench/figures'
import type { Prepared } from '@/bench/load-client'
import { MODEL } from '@/bench/settings'
import { METRICS_TOKEN, type WalletBed } from '@/bench/wallet-bed'

/**
 * Ways to identify a caller. `session`, `evm` and `solana` all read the wallet's balance; `key` is the cheapest request
 * that an API key is checked for, and reads the balance for its headers; `offer` is the 402 of a chat without credentials.
 */
export const WAYS = ['key', 'session', 'evm', 'solana', 'offer'] as const
export type Way = (typeof WAYS)[number]

export type SignIn = {
  p50Ms: number
  p95Ms: number
  perSecond: number
  /** CPU of the product a request: all its threads, and the event loop's alone. */
  cpuUs: number
  mainUs: number
  /** The event loop came this late to what was due; nothing where the database works inside the process. */
  lateP99Ms?: number
  lateMaxMs?: number
}

export type SignIns = Record<1 | 16, Record<Way, SignIn>>

const REQUESTS: Record<1 | 16, Record<Way, number>> = {
  1: { key: 500, session: 500, evm: 200, solana: 300, offer: 500 },
  16: { key: 2_000, session: 2_000, evm: 480, solana: 960, offer: 2_000 },
}
const CONNECTIONS = [1, 16] as const
// The product looks at its loop this often; what it reports has the pause in it.
const LOOK_EVERY_MS = 10

/** Every way in turn within each round; the first round warms up. Proofs are signed before the clock starts. */
export async function measureSignIns(bed: WalletBed, rounds: number, faults: string[]): Promise<SignIns> {
  const measured: Record<1 | 16, Record<Way, SignIn[]>> = { 1: nothing(), 16: nothing() }
  for (let round = -1; round < rounds; round++) {
    for (const connections of CONNECTIONS) {
      for (const way of WAYS) {
        const requests = await prepare(bed, way, REQUESTS[connections][way])
        const one = await measureWay(bed, connections, requests, `${way}, ${connections} connections`, faults)
        if (round >= 0) measured[connections][way].push(one)
      }
    }
  }
  return { 1: mediansOf(measured[1]), 16: mediansOf(measured[16]) }
}

const nothing = (): Record<Way, SignIn[]> => ({ key: [], session: [], evm: [], solana: [], offer: [] })

async function measureWay(
  bed: WalletBed,
  connections: number,
  requests: Prepared[],
  what: string,
  faults: string[],
): Promise<SignIn> {
  const { client, product, url } = bed
  // The embedded database works on the loop itself, for the metrics' own questions too.
  const seesLoop = bed.name === 'operated'
  // Two looks: the first may have the database asked, the second begins a new count.
  if (seesLoop) for (let look = 0; look < 2; look++) await lateness(url)
  const before = { cpu: cpuMs(product.pid), main: mainThreadCpuMs(product.pid) }
  const result = await client.call('each', { origin: url, connections, requests })
  const cpuUs = ((cpuMs(product.pid) - before.cpu) * 1_000) / requests.length
  const mainUs = ((mainThreadCpuMs(product.pid) - before.main) * 1_000) / requests.length
  faults.push(...result.faults.map((fault) => `${bed.name}, ${what}: ${fault}`))
  return {
    p50Ms: percentile(result.totalsMs, 50),
    p95Ms: percentile(result.totalsMs, 95),
    perSecond: (requests.length * 1_000) / result.elapsedMs,
    cpuUs,
    mainUs,
    ...(seesLoop && (await lateness(url))),
  }
}

async function prepare({ wallets, origin, key, cookie }: WalletBed, way: Way, count: number): Promise<Prepared[]> {
  const times = (request: Prepared): Prepared[] => Array.from({ length: count }, () => request)
  const balance = (address: string, headers: Record<string, string>): Prepared => ({
    method: 'GET',
    path: `/api/v1/x402/balance/${address}`,
    headers,
    status: 200,
    expect: '"balanceUsd"',
  })
  switch (way) {
    case 'key':
      return times({
        method: 'GET',
        path: '/api/v1/models/traits',
        headers: { authorization: `Bearer ${key}` },
        status: 200,
        expect: `"${MODEL}"`,
      })
    case 'session':
      return times(balance(wallets.evm.address, { origin, cookie }))
    case 'offer':
      return times({
        method: 'POST',
        path: '/api/v1/chat/completions',
        headers: {},
        status: 402,
        expect: '"authOptions"',
      })
    default: {
      const { address, proof } = wallets[way]
      const requests: Prepared[] = []
      while (requests.length < count) requests.push(balance(address, { 'sign-in-with-x': await proof(origin) }))
      return requests
    }
  }
}

async function lateness(url: string): Promise<Pick<SignIn, 'lateP99Ms' | 'lateMaxMs'>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const text = await response.text()
  const late = (name: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]
    return Math.max(0, Number(seconds) * 1_000 - LOOK_EVERY_MS)
  }
  return { lateP99Ms: late('p99'), lateMaxMs: late('max') }
}

function mediansOf(measured: Record<Way, SignIn[]>): Record<Way, SignIn> {
  return Object.fromEntries(WAYS.map((way) => [way, medians(measured[way])])) as Record<Way, SignIn>
}
