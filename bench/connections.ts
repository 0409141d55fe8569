import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, type Keep, loopback, openAll, residentBytes, startChild, withBed } from '@/bench/children'
import { addToReport, median, shown } from '@/bench/figures'
import { LEGS, measureLeg } from '@/bench/gateway-legs'
import type { Target } from '@/bench/gateway-targets'
import type { ClientCalls } from '@/bench/load-client'
import { createKey, type Product, startProduct } from '@/bench/product'
import { answerText, MODEL, type MockCalls, type Plan, writeSettings } from '@/bench/settings'
import { startPostgres } from '@/scripts/postgres'

const IDLE_CONNECTIONS = 1_000
const STREAMS = 500
const STREAMS_MS = 20_000
const WARM_UP_MS = 10_000
const SETTLE_MS = 3_000
const SAMPLE_EVERY_MS = 500
const CREDIT_USD = '100000'
const MIB = 1024 * 1024
/** An answer of 25 seconds. */
const SLOW: Plan = { tokens: 100, paceMs: 250, firstTokenMs: 250, tokensPerEvent: 1, hasOwnWrites: true }

type Bed = { client: Child<ClientCalls>; upstream: Child<MockCalls>; product: Product; target: Target }

/**
 * Measures the memory that a thousand idle connections take, and five hundred slow streams beside them, after load.
 * `BENCH_ON=embedded`: with the database inside the process.
 *
 * @returns false when an answer was wrong.
 */
export async function benchConnections(): Promise<boolean> {
  return withBed(
    (folder) => openAll((keep) => openBed(folder, keep)),
    async (bed) => {
      const resident = () => residentBytes(bed.product.pid) / MIB
      for (const name of ['chat-32-one-event', 'burst'] as const) await warmUp(bed, name)
      await sleep(SETTLE_MS)
      const loaded = resident()
      const idle = await Promise.all(Array.from({ length: IDLE_CONNECTIONS }, () => openIdle(bed.product.port)))
      await sleep(SETTLE_MS)
      const withIdle = resident()
      const samples: number[] = []
      const sampling = setInterval(() => samples.push(resident()), SAMPLE_EVERY_MS)
      const faults = await stream(bed)
      clearInterval(sampling)
      for (const socket of idle) socket.destroy()
      const streaming = { median: median(samples), most: Math.max(...samples) }
      console.log(`resident after load: ${shown(loaded, 0)} MiB`)
      console.log(`with ${IDLE_CONNECTIONS} idle connections: ${shown(withIdle, 0)} MiB`)
      console.log(`with ${STREAMS} streams: ${shown(streaming.median, 0)} MiB, at most ${shown(streaming.most, 0)}`)
      for (const fault of faults.slice(0, 5)) console.error(`wrong answer: ${fault}`)
      await addToReport({ connections: { loaded, withIdle, streaming } })
      return faults.length === 0
    },
  )
}

async function openBed(folder: string, keep: Keep): Promise<Bed> {
  const upstream = keep(await startChild<MockCalls>('mock-upstream'))
  const client = keep(await startChild<ClientCalls>('load-client'))
  const environment = {
    ...(await writeSettings(folder, await upstream.call('listen'))),
    SANDBOX: 'off',
    CONNECTIONS_PER_ADDRESS: '0',
    DATA_DIR: path.join(folder, 'data'),
    ...(process.env.BENCH_ON !== 'embedded' && { DATABASE_URL: keep(await startPostgres()).url }),
  }
  const product = keep(await startProduct({ logFile: path.join(folder, 'log'), environment }))
  const key = await createKey(product, CREDIT_USD)
  const origin = loopback(product.port)
  const target: Target = { name: 'ours', origin, path: '/api/v1/chat/completions', key, pid: product.pid }
  return { client, upstream, product, target }
}

async function warmUp({ client, upstream, target }: Bed, name: 'chat-32-one-event' | 'burst'): Promise<void> {
  const leg = LEGS.find((one) => one.name === name)!
  await upstream.call('plan', leg.plan)
  await measureLeg({ client }, target, leg, WARM_UP_MS)
}

async function openIdle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  // The server closes what stays idle for too long.
  socket.on('error', () => undefined)
  return socket
}

async function stream({ client, upstream, target }: Bed): Promise<string[]> {
  await upstream.call('plan', SLOW)
  const { origin, path: place, key } = target
  const { faults } = await client.call('chat', {
    origin,
    path: place,
    keys: [key],
    model: MODEL,
    connections: STREAMS,
    durationMs: STREAMS_MS,
    isStreaming: true,
    promptBytes: 800,
    expect: { text: answerText(SLOW), tokens: SLOW.tokens, events: SLOW.tokens },
  })
  return faults
}
