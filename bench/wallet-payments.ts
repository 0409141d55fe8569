import { mainThreadCpuMs } from '@/bench/children'
import { percentile } from '@/bench/figures'
import type { Prepared } from '@/bench/load-client'
import { answerText, MODEL } from '@/bench/settings'
import type { WalletBed } from '@/bench/wallet-bed'
import { base64Json } from '@/bench/wallet-bed'
import type { Family } from '@/lib/contract/chains'

/** Ways to pay for a chat: with credit that is there, as a key, a browser session or a fresh sign-in; or on the spot. */
export type ChatWay = 'key' | 'session' | `signed ${Family}` | `paid ${Family}`

export type Sent = {
  count: number
  p50Ms: number
  p95Ms: number
  /** The same without the way to the server and back, where the server says so. */
  insideP50Ms?: number
  mainUs: number
}

export type Payments = {
  topUp: Record<Family, Sent>
  verify?: Record<Family, Sent>
  settle?: Record<Family, Sent>
  chat: Record<ChatWay, Sent>
}

type Leg = { origin: string; prepare: () => Promise<Prepared[]> }
type LegName = `${'topUp' | 'verify' | 'settle' | 'chat'} ${string}`

const REQUESTS = 10
const FAMILIES = ['evm', 'solana'] as const

/**
 * One request at a time, every leg in turn within each round; the first round warms up. Every payment is the first of its
 * wallet, funded and signed before the clock starts.
 */
export async function measurePayments(bed: WalletBed, rounds: number, faults: string[]): Promise<Payments> {
  const { client, product } = bed
  const raw = new Map<LegName, { totalsMs: number[]; insideMs: number[]; mainUs: number }>()
  for (let round = -1; round < rounds; round++) {
    for (const [name, { origin, prepare }] of legsOf(bed)) {
      const requests = await prepare()
      const before = mainThreadCpuMs(product.pid)
      const result = await client.call('each', { origin, connections: 1, requests })
      const mainUs = (mainThreadCpuMs(product.pid) - before) * 1_000
      faults.push(...result.faults.map((fault) => `${bed.name}, ${name}: ${fault}`))
      if (round < 0) continue
      const known = raw.get(name) ?? { totalsMs: [], insideMs: [], mainUs: 0 }
      raw.set(name, {
        totalsMs: [...known.totalsMs, ...result.totalsMs],
        insideMs: [...known.insideMs, ...result.insideMs],
        mainUs: known.mainUs + mainUs,
      })
    }
  }
  const of = (name: LegName): Sent => {
    const { totalsMs, insideMs, mainUs } = raw.get(name)!
    return {
      count: totalsMs.length,
      p50Ms: percentile(totalsMs, 50),
      p95Ms: percentile(totalsMs, 95),
      ...(insideMs.length > 0 && { insideP50Ms: percentile(insideMs, 50) }),
      mainUs: mainUs / totalsMs.length,
    }
  }
  const both = (what: 'topUp' | 'verify' | 'settle') => ({ evm: of(`${what} evm`), solana: of(`${what} solana`) })
  return {
    topUp: both('topUp'),
    ...(bed.facilitatorUrl !== undefined && { verify: both('verify'), settle: both('settle') }),
    chat: Object.fromEntries(CHAT_WAYS.map((way) => [way, of(`chat ${way}`)])) as Payments['chat'],
  }
}

const CHAT_WAYS: ChatWay[] = ['key', 'session', 'signed evm', 'signed solana', 'paid evm', 'paid solana']

function legsOf(bed: WalletBed): Map<LegName, Leg> {
  const { url, facilitatorUrl } = bed
  const legs = new Map<LegName, Leg>()
  for (const way of CHAT_WAYS) legs.set(`chat ${way}`, { origin: url, prepare: () => times(() => chat(bed, way)) })
  for (const family of FAMILIES) {
    legs.set(`topUp ${family}`, { origin: url, prepare: () => times(() => topUp(bed, family)) })
    if (facilitatorUrl === undefined) continue
    for (const [name, expect] of [
      ['verify', '"isValid":true'],
      ['settle', '"success":true'],
    ] as const) {
      const prepare = () => times(() => facilitated(bed, family, name, expect))
      legs.set(`${name} ${family}`, { origin: facilitatorUrl, prepare })
    }
  }
  return legs
}

// One after the other: a payment names a block, and must not wait long.
async function times(make: () => Promise<Prepared>): Promise<Prepared[]> {
  const requests: Prepared[] = []
  while (requests.length < REQUESTS) requests.push(await make())
  return requests
}

async function topUp(bed: WalletBed, family: Family): Promise<Prepared> {
  return {
    method: 'POST',
    path: '/api/v1/x402/top-up',
    headers: await paid(bed, family),
    status: 200,
    expect: '"success":true',
  }
}

async function facilitated(
  { newWallet, offer }: WalletBed,
  family: Family,
  name: string,
  expect: string,
): Promise<Prepared> {
  const paymentPayload = await (await newWallet(family)).pay(offer)
  return {
    method: 'POST',
    path: `/${name}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: paymentPayload.accepted }),
    status: 200,
    expect,
  }
}

async function chat(bed: WalletBed, way: ChatWay): Promise<Prepared> {
  const content = 'What do the tides say today? '.repeat(27)
  return {
    method: 'POST',
    path: '/api/v1/chat/completions',
    headers: { 'content-type': 'application/json', ...(await credentials(bed, way)) },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content }], max_tokens: 1_000 }),
    status: 200,
    expect: answerText(bed.plan),
  }
}

async function credentials(bed: WalletBed, way: ChatWay): Promise<Record<string, string>> {
  const { key, origin, cookie, wallets } = bed
  switch (way) {
    case 'key':
      return { authorization: `Bearer ${key}` }
    case 'session':
      return { origin, cookie }
    case 'signed evm':
      return { 'sign-in-with-x': await wallets.evm.proof(origin) }
    case 'signed solana':
      return { 'sign-in-with-x': await wallets.solana.proof(origin) }
    case 'paid evm':
      return paid(bed, 'evm')
    case 'paid solana':
      return paid(bed, 'solana')
  }
}

async function paid({ newWallet, offer }: WalletBed, family: Family): Promise<Record<string, string>> {
  const wallet = await newWallet(family)
  return { 'payment-signature': base64Json(await wallet.pay(offer)) }
}
