import cluster, { type Worker } from 'node:cluster'
import path from 'node:path'
import { log } from '@/lib/kernel/log'
import { gatherMetrics } from '@/server/cluster-metrics'

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
        log().fatal({ code, signal, failedStarts }, 'no worker can be started; giving up')
        end('SIGTERM', 1)
        return
      }
      if (performance.now() - startedAt > HEALTHY_AFTER_MS) backoffMs = firstBackoffMs
      log().error({ worker: worker.id, code, signal, backoffMs }, 'a worker ended; starting another')
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
