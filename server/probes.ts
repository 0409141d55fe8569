import cluster from 'node:cluster'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getDb } from '@/lib/db/client'
import { withDeadline } from '@/lib/kernel/deadlines'
import { log, logSparingly } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import { shutdown } from '@/lib/kernel/shutdown'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { isCatalogueLoaded } from '@/lib/services/models/catalogue'
import { createClusterScrape } from '@/server/cluster'
import type { Handler } from '@/server/front'

export type ProbeOptions = {
  isReady: () => Promise<boolean>
  metrics: () => Promise<string>
  metricsToken: string | undefined
}

export function createProbes({ isReady, metrics, metricsToken }: ProbeOptions): ReadonlyMap<string, Handler> {
  const readyz: Handler = async (_request, response) => {
    const ready = await isReady()
    answer(response, ready ? 200 : 503, ready ? 'ready\n' : 'not ready\n')
  }
  const measured: Handler = async (request, response) => {
    if (!isBearer(request, metricsToken!)) return answer(response, 401, 'wrong token\n')
    try {
      answer(response, 200, await metrics(), 'text/plain; version=0.0.4; charset=utf-8')
    } catch {
      answer(response, 503, 'not available\n')
    }
  }
  const probes: [string, Handler][] = [
    ['/healthz', (_request, response) => answer(response, 200, 'alive\n')],
    ['/readyz', readyz],
    ['/metrics', metricsToken === undefined ? (_request, response) => answer(response, 404, 'not found\n') : measured],
  ]
  return new Map(probes)
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(body)
}

/** Hashes first: the comparison needs equal lengths, and the token's length is secret. */
function isBearer(request: IncomingMessage, token: string): boolean {
  const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return sent !== undefined && timingSafeEqual(sha256(sent), sha256(token))
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

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

const logFailure = (error: unknown): void => log().warn({ err: error }, 'ledger gauges could not be read')

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
