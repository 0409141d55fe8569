import cluster, { type Worker } from 'node:cluster'
import path from 'node:path'
import { log } from '@/lib/core/log'

/** Between two starts of a worker that keeps dying: doubled each time, until one lived for a minute. */
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
const HEALTHY_AFTER_MS = 60_000
/** A worker ends by itself within 30 s; this is for one that cannot. */
const KILL_AFTER_MS = 31_000

/** Keeps `count` processes serving one port, and ends them all on a signal. Resolves when all listen. */
export async function runWorkers(count: number, root: string): Promise<void> {
  cluster.setupPrimary({ exec: path.join(root, 'dist', 'server.mjs') })
  let isStopping = false
  let backoffMs = FIRST_BACKOFF_MS

  const start = (): Promise<void> => {
    const worker = cluster.fork()
    const startedAt = performance.now()
    worker.once('exit', (code, signal) => {
      if (isStopping) {
        if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0)
        return
      }
      if (performance.now() - startedAt > HEALTHY_AFTER_MS) backoffMs = FIRST_BACKOFF_MS
      log().error({ worker: worker.id, code, signal, backoffMs }, 'a worker ended; starting another')
      setTimeout(() => {
        if (!isStopping) void start()
      }, backoffMs)
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
    })
    return new Promise((resolve) => worker.once('listening', () => resolve()))
  }

  const stop = (signal: NodeJS.Signals) => {
    // A second signal goes on to the workers, which then end at once.
    eachWorker((worker) => worker.process.kill(signal))
    if (isStopping) return
    isStopping = true
    setTimeout(() => eachWorker((worker) => worker.process.kill('SIGKILL')), KILL_AFTER_MS).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', () => eachWorker((worker) => worker.process.kill('SIGHUP')))
  await Promise.all(Array.from({ length: count }, start))
}

function eachWorker(run: (worker: Worker) => void): void {
  for (const worker of Object.values(cluster.workers ?? {})) if (worker) run(worker)
}
