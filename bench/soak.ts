import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Pool } from 'undici'
import { type Keep, loopback, openAll, residentBytes, startChild, withBed } from '@/bench/children'
import { addToReport, median, shown } from '@/bench/figures'
import type { MockNodeCalls } from '@/bench/mock-node'
import { admin, createKeys, type Product, startProduct } from '@/bench/product'
import { MODEL, type MockCalls, writeSettings } from '@/bench/settings'
import { startPostgres, type TestPostgres } from '@/scripts/postgres'

const MINUTES = Number(process.env.BENCH_MINUTES ?? 60)
const RESTART_EVERY_MS = 10 * 60_000
const SAMPLE_EVERY_MS = 10_000
const STREAMS = 200
const CHATS = 8
const CALLS = 4
const ACCOUNTS = 20
const CREDIT_USD = 1_000
const PAUSE_MS = 100
/** After a refusal for an outage. */
const PATIENCE_MS = 500
const SETTLE_MS = 3_000
const NANO = 1_000_000_000
const MIB = 1024 * 1024

type Bed = { product: Product; postgres: TestPostgres; keys: string[] }
/** `told` is what the replies said that they cost, in nano-dollars. */
type Seen = { streams: number; chats: number; calls: number; unavailable: number; told: bigint; faults: string[] }

/**
 * Runs streams, chats and JSON-RPC calls beside each other for an hour, or `BENCH_MINUTES`, while PostgreSQL is started anew
 * every ten minutes; then compares what the replies said that they cost with what the accounts have left.
 *
 * @returns false when they differ, a reply was wrong, or the ledger is not sound.
 */
export async function benchSoak(): Promise<boolean> {
  return withBed(
    (folder) => openAll((keep) => openBed(folder, keep)),
    async (bed) => {
      const { seen, memory, restarts } = await soak(bed)
      await sleep(SETTLE_MS)
      const charged = await chargedBy(bed)
      const check = await admin(bed.product, 'ledger', 'check').catch((error: Error) => error.message)
      const { told, faults, ...counts } = seen
      const quarter = Math.ceil(memory.length / 4)
      const resident = { early: median(memory.slice(quarter, 2 * quarter)), late: median(memory.slice(-quarter)) }
      console.log(`${MINUTES} minutes, PostgreSQL started anew ${restarts} times: ${JSON.stringify(counts)}`)
      console.log(`told ${told}, charged ${charged} nano-dollars`)
      console.log(
        `resident: ${shown(resident.early, 0)} MiB in the second quarter, ${shown(resident.late, 0)} in the last`,
      )
      console.log(check)
      for (const fault of faults.slice(0, 10)) console.error(`wrong answer: ${fault}`)
      await addToReport({ soak: { ...counts, told: String(told), charged: String(charged), resident, restarts } })
      return told === charged && faults.length === 0 && !/fail|broken/i.test(check)
    },
  )
}

async function openBed(folder: string, keep: Keep): Promise<Bed> {
  const node = keep(await startChild<MockNodeCalls>('mock-node'))
  const upstream = keep(await startChild<MockCalls>('mock-upstream'))
  const upstreamPort = await upstream.call('listen')
  await upstream.call('plan', { tokens: 100, paceMs: 50, firstTokenMs: 50, tokensPerEvent: 1, hasOwnWrites: true })
  const postgres = keep(await startPostgres())
  const environment = {
    ...(await writeSettings(folder, upstreamPort)),
    SANDBOX: 'off',
    CONNECTIONS_PER_ADDRESS: '0',
    RPC_URLS_BASE_MAINNET: loopback(await node.call('listen')),
    DATA_DIR: path.join(folder, 'data'),
    DATABASE_URL: postgres.url,
  }
  const product = keep(await startProduct({ logFile: path.join(folder, 'log'), environment }))
  return { product, postgres, keys: await createKeys(product, ACCOUNTS, String(CREDIT_USD)) }
}

async function soak({ product, postgres, keys }: Bed) {
  const endAt = performance.now() + MINUTES * 60_000
  const seen: Seen = { streams: 0, chats: 0, calls: 0, unavailable: 0, told: 0n, faults: [] }
  const pool = new Pool(loopback(product.port), { connections: STREAMS + CHATS + CALLS, headersTimeout: 60_000 })
  const repeat = async (count: number, send: (key: string) => Promise<void>) => {
    const loop = async (n: number) => {
      // Not all at once.
      await sleep(Math.random() * 5_000)
      while (performance.now() < endAt) await send(keys[n % keys.length]!)
    }
    await Promise.all(Array.from({ length: count }, (_, n) => loop(n)))
  }
  const memory: number[] = []
  const sampling = setInterval(() => memory.push(residentBytes(product.pid) / MIB), SAMPLE_EVERY_MS)
  let restarts = 0
  const restarting = setInterval(() => {
    restarts++
    postgres.restart().catch((error: Error) => seen.faults.push(error.message))
  }, RESTART_EVERY_MS)
  await Promise.all([
    repeat(STREAMS, (key) => chat(pool, key, true, seen)),
    repeat(CHATS, (key) => chat(pool, key, false, seen).then(() => sleep(PAUSE_MS))),
    repeat(CALLS, (key) => call(pool, key, seen).then(() => sleep(PAUSE_MS))),
  ])
  clearInterval(sampling)
  clearInterval(restarting)
  await pool.close()
  return { seen, memory, restarts }
}

async function chat(pool: Pool, key: string, isStreaming: boolean, seen: Seen): Promise<void> {
  const messages = [{ role: 'user', content: 'What do the tides say today?' }]
  const options = isStreaming ? { stream: true, stream_options: { include_usage: true } } : {}
  const body = JSON.stringify({ model: MODEL, messages, max_tokens: 1_000, ...options })
  const { status, text } = await send(pool, '/api/v1/chat/completions', key, body)
  if (status === 503) return await wait(seen)
  const cost = [...text.matchAll(/"cost":\{[^}]*"usd":([\d.e-]+)/g)].at(-1)?.[1]
  const isWhole = status === 200 && cost !== undefined && (!isStreaming || text.endsWith('data: [DONE]\n\n'))
  if (!isWhole) seen.faults.push(`${status} ${text.slice(-300)}`)
  else if (isStreaming) seen.streams++
  else seen.chats++
  seen.told += BigInt(Math.round(Number(cost ?? 0) * NANO))
}

async function call(pool: Pool, key: string, seen: Seen): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  const { status, text, headers } = await send(pool, '/api/v1/crypto/rpc/base-mainnet', key, body)
  if (status === 503) return await wait(seen)
  if (status === 200) seen.calls++
  else seen.faults.push(`${status} ${text.slice(0, 300)}`)
  seen.told += BigInt(Math.round(Number(headers['x-service-rpc-cost-usd'] ?? 0) * NANO))
}

async function wait(seen: Seen): Promise<void> {
  seen.unavailable++
  await sleep(PATIENCE_MS)
}

async function send(pool: Pool, path: string, key: string, body: string) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const answer = await pool.request({ method: 'POST', path, headers, body })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

/** @returns nano-dollars */
async function chargedBy({ postgres }: Bed): Promise<bigint> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ left: string }>(
      `select sum(posted)::text as left from balance where currency = 'USD'`,
    )
    return BigInt(ACCOUNTS) * BigInt(CREDIT_USD) * BigInt(NANO) - BigInt(rows[0]!.left)
  } finally {
    await client.end()
  }
}
