import cluster, { type Worker } from 'node:cluster'
import path from 'node:path'
import { AggregatorRegistry, type MetricObject } from 'prom-client'
import { z } from 'zod'
import { uuid } from '@/lib/contract/ids'
import { inTime } from '@/lib/kernel/deadlines'
import { log } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'

/** Delay before a restart: doubled each time, until a worker lived for a minute. */
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
const HEALTHY_AFTER_MS = 60_000
/** Consecutive failed starts, while no worker serves, after which the primary exits. */
const MAX_FAILED_STARTS = 5
/** A worker exits within 30 s and its grace period; this is for one that hangs. */
const KILL_AFTER_MS = 31_000

export type WorkerOptions = {
  count: number
  root: string
  drainGraceMs: number
  firstBackoffMs?: number
  exit?: (code: number) => void
}

/**
 * Keeps `count` processes serving one port and ends them on a signal. Resolves when all listen; exits with code 1 when
 * none can be started.
 */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  const { count, root, drainGraceMs, firstBackoffMs = FIRST_BACKOFF_MS, exit = process.exit } = options
  cluster.setupPrimary({ exec: path.join(root, 'dist', 'server.mjs') })
  gatherMetrics()
  const serving = new Set<Worker>()
  let isStopping = false
  let exitCode = 0
  let backoffMs = firstBackoffMs
  let failedStarts = 0

  const ready = Promise.withResolvers<void>()

  const start = (): void => {
    const worker = cluster.fork()
    const startedAt = performance.now()
    worker.once('exit', (code, signal) => {
      const hasServed = serving.delete(worker)
      if (isStopping) {
        if (code !== 0) exitCode = 1
        if (Object.keys(cluster.workers ?? {}).length === 0) exit(exitCode)
        return
      }
      failedStarts = hasServed ? 0 : failedStarts + 1
      if (failedStarts >= MAX_FAILED_STARTS && serving.size === 0) {
        log().fatal({ code, signal, failedStarts }, 'no worker could be started; giving up')
        end('SIGTERM', 1)
        return
      }
      if (performance.now() - startedAt > HEALTHY_AFTER_MS) backoffMs = firstBackoffMs
      log().error({ worker: worker.id, code, signal, backoffMs }, 'a worker exited; starting another')
      setTimeout(() => {
        if (!isStopping) start()
      }, backoffMs)
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
    })
    worker.once('listening', () => {
      failedStarts = 0
      serving.add(worker)
      if (serving.size === count) ready.resolve()
    })
  }

  const end = (signal: NodeJS.Signals, code: number) => {
    // A second signal goes on to the workers, which then end at once.
    eachWorker((worker) => worker.process.kill(signal))
    if (isStopping) return
    isStopping = true
    exitCode = code
    if (Object.keys(cluster.workers ?? {}).length === 0) exit(exitCode)
    setTimeout(() => eachWorker((worker) => worker.process.kill('SIGKILL')), KILL_AFTER_MS + drainGraceMs).unref()
  }
  process.on('SIGTERM', () => end('SIGTERM', 0))
  process.on('SIGINT', () => end('SIGINT', 0))
  process.on('SIGHUP', () => eachWorker((worker) => worker.process.kill('SIGHUP')))
  for (let started = 0; started < count; started++) start()
  await ready.promise
}

function eachWorker(run: (worker: Worker) => void): void {
  for (const worker of Object.values(cluster.workers ?? {})) if (worker) run(worker)
}

/** A worker that does not answer by then is left out. */
const ANSWER_TIMEOUT_MS = 2_000
const TOTAL_TIMEOUT_MS = 3_000

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('metrics:total'), id: z.string() }),
  z.object({ type: z.literal('metrics:own'), id: z.string() }),
  z.object({ type: z.literal('metrics:own-answer'), id: z.string(), values: z.array(z.unknown()) }),
  z.object({ type: z.literal('metrics:total-answer'), id: z.string(), text: z.string() }),
])
type Message = z.infer<typeof Message>

/**
 * Sums the metrics of all workers whenever one is scraped, since any of them may get the request. Runs in the primary.
 */
function gatherMetrics(): void {
  const gathering = new Map<string, (values: MetricObject[]) => void>()
  cluster.on('message', async (asking, received) => {
    const message = Message.safeParse(received).data
    if (message?.type === 'metrics:own-answer') gathering.get(message.id)?.(message.values as MetricObject[])
    if (message?.type !== 'metrics:total') return
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isConnected() ? [worker] : []))
    const answers = await Promise.all(
      workers.map(async (worker) => {
        const id = uuid()
        const own = new Promise<MetricObject[]>((resolve) => gathering.set(id, resolve))
        worker.send({ type: 'metrics:own', id } satisfies Message)
        return inTime(own, ANSWER_TIMEOUT_MS).finally(() => gathering.delete(id))
      }),
    )
    const known = answers.filter((values) => values !== undefined)
    const text = await AggregatorRegistry.aggregate(known).metrics()
    if (asking.isConnected()) asking.send({ type: 'metrics:total-answer', id: message.id, text } satisfies Message)
  })
}

export function createClusterScrape(refresh: () => Promise<void>): () => Promise<string> {
  const waiting = new Map<string, (text: string) => void>()
  process.on('message', async (received) => {
    const message = Message.safeParse(received).data
    if (message?.type === 'metrics:total-answer') waiting.get(message.id)?.(message.text)
    if (message?.type !== 'metrics:own') return
    await refresh()
    const values = await metrics().registry.getMetricsAsJSON()
    if (process.connected) process.send?.({ type: 'metrics:own-answer', id: message.id, values } satisfies Message)
  })
  return async () => {
    const id = uuid()
    const total = new Promise<string>((resolve) => waiting.set(id, resolve))
    process.send?.({ type: 'metrics:total', id } satisfies Message)
    const text = await inTime(total, TOTAL_TIMEOUT_MS).finally(() => waiting.delete(id))
    if (text === undefined) throw new Error('the primary process did not answer')
    return text
  }
}
