import { getBase58Decoder } from '@solana/kit'
import { afterEach, describe, expect, test } from 'vitest'
import { NodeError, twistedNode } from '@/lib/services/chains/testing-node'
import { solanaNode } from '@/lib/services/payments/chain-solana'
import { receiverAccount } from '@/lib/services/payments/payment-solana'
import type { Payment } from '@/lib/services/payments/payment-types'
import { railOf, testWallet } from '@/lib/services/payments/testing'
import { paymentMaker } from '@/lib/services/payments/testing-payments'
import { testChains } from '@/sandbox/testing'

const chains = await testChains()
const maker = await paymentMaker(chains)
const twisted = await twistedNode(chains.sandbox.solanaUrl)
const rail = railOf('solana')
const node = solanaNode(twisted.url, rail)
const receiver = await receiverAccount(rail)

afterEach(() => twisted.straighten())

type Entry = { signature: string; slot: number; err: unknown; blockTime: number }
type Page = { limit?: number; before?: string; until?: string }

const cursorOfNow = async () => (await node.scan(undefined)).cursor
const pay = async (): Promise<Payment> => {
  const payment = await maker.sign(await testWallet(chains, 'solana'))
  await maker.broadcast(payment)
  return payment
}
const wantedOf = (payment: Payment, deadAfter?: bigint) => ({
  key: payment.key,
  payer: payment.payer,
  notBefore: BigInt(Math.floor(Date.now() / 1_000)) - 600n,
  sourceAccount: payment.family === 'solana' ? payment.sourceAccount : undefined,
  deadAfter,
})
const signatureOf = (n: number): string => {
  const bytes = new Uint8Array(64).fill(7)
  new DataView(bytes.buffer).setUint32(0, n)
  return getBase58Decoder().decode(bytes)
}

/** Asks the real node. */
async function ask<T>(method: string, params: unknown[] = []): Promise<T> {
  const response = await fetch(chains.sandbox.solanaUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: T }).result
}

/** Puts entries on top of an account's real history, the newest first, and answers in pages as nodes do. */
function pileUp(account: string, count: number, err: unknown = null): Set<string> {
  const blockTime = Math.floor(Date.now() / 1_000)
  const piled: Entry[] = []
  for (let n = count; n > 0; n--) piled.push({ signature: signatureOf(n), slot: 1_000_000 + n, err, blockTime })
  const places = new Map(piled.map(({ signature }, place) => [signature, place]))
  twisted.twist('getSignaturesForAddress', async ([of, page = {}]: [string, Page?], real) => {
    const before = page.before === undefined ? -1 : places.get(page.before)
    if (of !== account || before === undefined) return real()
    const limit = page.limit ?? 1_000
    const end = page.until === undefined ? undefined : places.get(page.until)
    const some = piled.slice(before + 1, end).slice(0, limit)
    if (some.length === limit || end !== undefined) return some
    const rest = { until: page.until, limit: limit - some.length }
    return [...some, ...(await ask<Entry[]>('getSignaturesForAddress', [of, rest]))]
  })
  return new Set(places.keys())
}

/** What nodes tell of a transaction that came to nothing. */
async function failedTransaction(): Promise<unknown> {
  const signature = await maker.broadcast(await maker.sign(await testWallet(chains, 'solana')))
  const options = { encoding: 'base64', maxSupportedTransactionVersion: 0 }
  const landed = await ask<{ meta: object }>('getTransaction', [signature, options])
  return { ...landed, meta: { ...landed.meta, err: { InstructionError: [2, 'Custom'] } } }
}

/** Reads on until the end. */
async function scanAll(from: string) {
  const found: string[] = []
  let cursor = from
  for (let part = 0; part < 20; part++) {
    const scanned = await node.scan(cursor)
    found.push(...scanned.transfers.map(({ key }) => key))
    cursor = scanned.cursor
    if (scanned.isDone) break
  }
  return { found, cursor }
}

describe('a scan', () => {
  test('finds a payment under any number of transactions that came to nothing', async () => {
    const cursor = await cursorOfNow()
    const payment = await pay()
    pileUp(receiver, 21_000, { InstructionError: [0, 'Custom'] })
    expect((await scanAll(cursor)).found).toEqual([payment.key])
  })

  test('finds payments under more transactions than it reads at a time, each once', async () => {
    const failed = await failedTransaction()
    const cursor = await cursorOfNow()
    const keys = [(await pay()).key, (await pay()).key]
    const piled = pileUp(receiver, 600)
    twisted.twist('getTransaction', ([signature]: [string], real) => (piled.has(signature) ? failed : real()))
    const all = await scanAll(cursor)
    expect(all.found).toEqual(keys)
    expect(twisted.asked('getTransaction')).toBe(602)
    expect(await scanAll(all.cursor)).toEqual({ found: [], cursor: all.cursor })
  })

  test('by a node that tells of a transaction and does not have it is none', async () => {
    const cursor = await cursorOfNow()
    const { key } = await pay()
    twisted.twist('getTransaction', () => null)
    await expect(node.scan(cursor)).rejects.toThrow('does not know')
    twisted.straighten()
    expect((await scanAll(cursor)).found).toEqual([key])
  })

  test('by a node that is behind goes neither back nor on', async () => {
    const old = await cursorOfNow()
    chains.skipSlots(1)
    const payment = await pay()
    const cursor = (await scanAll(old)).cursor
    // It has not seen the newest yet, so it does not know where to stop.
    twisted.twist('getSignaturesForAddress', async ([of, page]: [string, Page]) => {
      const all = await ask<Entry[]>('getSignaturesForAddress', [of, { limit: page.limit }])
      return page.before === undefined ? all.slice(1) : []
    })
    expect(await node.scan(cursor)).toEqual({ transfers: [], cursor, isDone: true })
    twisted.straighten()
    expect((await scanAll(old)).found).toEqual([payment.key])
  })

  test('goes on past a transaction of a version that nobody here can read', async () => {
    const cursor = await cursorOfNow()
    const payment = await pay()
    pileUp(receiver, 1)
    twisted.twist('getTransaction', ([signature]: [string], real) => {
      if (signature !== signatureOf(1)) return real()
      throw new NodeError(-32015, 'Transaction version (1) is not supported by the requesting client.')
    })
    expect((await scanAll(cursor)).found).toEqual([payment.key])
  })
})

describe('a look', () => {
  test('gives nothing up while there is more history than it reads', async () => {
    const payment = await maker.sign(await testWallet(chains, 'solana'))
    const wanted = wantedOf(payment, 0n)
    expect(await node.look(wanted)).toMatchObject({ status: 'dead', reason: 'expired' })
    const failed = await failedTransaction()
    pileUp(wanted.sourceAccount ?? '', 600)
    twisted.twist('getTransaction', () => failed)
    await expect(node.look(wanted)).rejects.toThrow('history')
    expect(twisted.asked('getTransaction')).toBeLessThan(1_000)
  })

  test('is not led astray by what cannot be a signature', async () => {
    const payment = await pay()
    twisted.twist('getTransaction', ([signature]: [string], real) => {
      if (signature.length >= 86) return real()
      throw new NodeError(-32602, 'Invalid param: WrongSize')
    })
    const transaction = 'abcdef123456789a'.repeat(4)
    expect(await node.look({ ...wantedOf(payment), transaction })).toMatchObject({ status: 'paid', amount: 5_000_000n })
  })

  test('asks for history of machines only that are not far behind the head', async () => {
    const payment = await pay()
    const options: { minContextSlot?: number }[] = []
    twisted.twist('getSignaturesForAddress', ([, page]: [string, Page & { minContextSlot?: number }], real) => {
      options.push(page)
      return real()
    })
    await node.look(wantedOf(payment))
    const [{ minContextSlot = -1 } = {}] = options
    const head = await ask<number>('getSlot')
    expect(head - minContextSlot).toBeGreaterThanOrEqual(0)
    expect(head - minContextSlot).toBeLessThan(150)
  })
})
