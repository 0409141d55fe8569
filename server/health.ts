import cluster from 'node:cluster'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { logSparingly } from '@/lib/kernel/log-sparingly'
import { metrics } from '@/lib/kernel/metrics'
import { shutdown } from '@/lib/kernel/shutdown'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { isCatalogueLoaded } from '@/lib/services/models/catalogue'
import { createClusterScrape } from '@/server/cluster-metrics'

const READY_CACHE_MS = 1_000
const READY_TIMEOUT_MS = 2_000
const LEDGER_CACHE_MS = 15_000
const LEDGER_TIMEOUT_MS = 4_000

/** Creates the readiness check: database writable, models known, process not draining. */
export function createReadiness(): () => Promise<boolean> {
  const answers = remembered(READY_CACHE_MS, () =>
    withDeadline(checkDatabase(), READY_TIMEOUT_MS).then(
      () => isCatalogueLoaded(),
      (error: unknown) => {
        logSparingly('readiness', { err: error }, 'not ready: the database does not serve')
        return false
      },
    ),
  )
  return async () => !shutdown().isDraining && (await answers()) && !shutdown().isDraining
}

/** Prints the metrics of all processes of this server, with current ledger gauges. */
export function createScrape(): () => Promise<string> {
  const scrape = cluster.isWorker ? createClusterScrape(readStatementAge) : () => metrics().registry.metrics()
  const refresh = remembered(LEDGER_CACHE_MS, () =>
    withDeadline(readLedgerGauges(), LEDGER_TIMEOUT_MS).catch(logFailure),
  )
  return async () => {
    await refresh()
    await readStatementAge()
    return scrape()
  }
}

async function checkDatabase(): Promise<void> {
  await (await getDb()).check()
}

async function readStatementAge(): Promise<void> {
  const { oldestMs } = await getDb()
  metrics().databaseStatementAge.set(oldestMs() / 1_000)
}

async function readLedgerGauges(): Promise<void> {
  const { ledger } = metrics()
  for (const { name, broken } of await checkLedger(await getDb(), { depth: 'gauges' }))
    ledger.set({ check: name }, broken)
}

const logFailure = (error: unknown): void => log().warn({ err: error }, 'the ledger gauges could not be read')

function remembered<T>(forMs: number, run: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let until = 0
  return () => {
    if (last === undefined || performance.now() > until) {
      until = performance.now() + forMs
      last = run()
    }
    return last
  }
}

function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
