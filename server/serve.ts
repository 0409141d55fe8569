import cluster from 'node:cluster'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Server } from 'node:http'
import path from 'node:path'
import { closeDb, getDb } from '@/lib/db/client'
import { audioHandler } from '@/lib/endpoints/audio/music'
import { flushCredits } from '@/lib/endpoints/rpc/daily-credits'
import { videoHandler } from '@/lib/endpoints/video/job'
import { config } from '@/lib/kernel/config'
import { prepareDataFolder } from '@/lib/kernel/data-folder'
import { log } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import { closeProcessPools } from '@/lib/kernel/process-pool/pool'
import { usesSaved } from '@/lib/services/characters/catalogue'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { closeEngines } from '@/lib/services/engines/registry'
import { saveLastUsed } from '@/lib/services/identity/api-keys'
import { isOwnHost } from '@/lib/services/identity/same-origin-cookie'
import { startJobs, stopJobs } from '@/lib/services/jobs/worker'
import { settled } from '@/lib/services/ledger/ledger'
import { startSweeper, stopSweeper } from '@/lib/services/ledger/sweep'
import { sharedPlaces } from '@/lib/services/limits/concurrency'
import { limits } from '@/lib/services/limits/limits-file'
import { saveBreaches } from '@/lib/services/limits/note-breach'
import { followConnected, loadCatalogue, reloadCatalogue } from '@/lib/services/models/catalogue'
import { startReconciler, stopReconciler } from '@/lib/services/payments/reconciler'
import { startShareSweeper } from '@/lib/services/shares/shares'
import { serveAdmin } from '@/server/admin/socket'
import { createApi } from '@/server/api'
import { createPagePolicy } from '@/server/content-policy'
import { drainOnSignals } from '@/server/drain'
import { createFront, type Front, type Handler, type Handlers, setHeader } from '@/server/front'
import { createProbes, createReadiness, createScrape } from '@/server/probes'
import { inLanguageOf } from '@/server/request-language'
import { routes } from '@/server/routes.gen'
import { startSandbox } from '@/server/sandbox'

/** Headers of everything that Next answers. Source: OWASP Secure Headers. */
const SECURITY_HEADERS: readonly [string, string][] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  // A browser would look up the names of links as soon as an answer has them, and a name can carry words off.
  ['X-DNS-Prefetch-Control', 'off'],
  ['Permissions-Policy', 'camera=(), geolocation=(), payment=(), usb=(), microphone=(self)'],
]

const holder = globalThis as typeof globalThis & { __serviceFront?: boolean }

const DEVELOPMENT_DRAIN = { stopAfterMs: 500, cutAfterMs: 1_000, exitAfterMs: 3_000 }

/**
 * Starts this process's server; returns when it listens. In development Next answers the API too, so that handlers
 * reload.
 *
 * @throws when it cannot serve: wrong configuration, missing database, taken port.
 */
export async function serve({ isDevelopment }: { isDevelopment: boolean }): Promise<void> {
  const { port, host, origin, trustedProxies, connectionsPerAddress, metricsToken, drainGraceMs } = config()
  // Read now, so that a wrong file stops the start and not the first request.
  limits()
  // Before anything is started that would have to be ended.
  await prepareDataFolder()
  const [database, chains] = await Promise.all([getDb(), cluster.isWorker ? undefined : startSandbox()])
  await Promise.all([loadCatalogue(), shippedCharacters()])
  await followConnected()
  startSweeper()
  startShareSweeper()
  startReconciler()
  await startJobs({ music: audioHandler(), video: videoHandler() })
  const admin = database.kind === 'pglite' ? await serveAdmin() : undefined

  // Handlers believe the client's address only where a front has written it.
  holder.__serviceFront = true
  const handlers: Handlers = {
    probes: createProbes({ isReady: createReadiness(), metrics: createScrape(), metricsToken }),
  }
  const front = createFront({
    handlers,
    host: new URL(origin).host,
    isOwnHost,
    trustedProxies,
    limits: { connectionsPerAddress },
    onConnections: (open) => metrics().connections.set(open),
  })
  handlers.pages = await openPages(front.server, isDevelopment)
  if (!isDevelopment) handlers.api = createApi(routes)

  drainOnSignals(
    {
      ...front,
      closers: [
        { name: 'reconciler', close: stopReconciler },
        { name: 'jobs', close: stopJobs },
        { name: 'ledger', close: settled },
        { name: 'sweeper', close: stopSweeper },
        {
          name: 'key and character use, credits and breaches',
          close: () => Promise.all([saveLastUsed(), saveBreaches(), usesSaved(), flushCredits()]),
        },
        { name: 'places of requests', close: () => sharedPlaces().close() },
        { name: 'admin socket', close: () => admin?.close() },
        { name: 'readers', close: closeProcessPools },
        { name: 'engines', close: closeEngines },
        { name: 'local chains', close: () => chains?.close() },
        { name: 'database', close: closeDb },
      ],
    },
    reload,
    isDevelopment ? DEVELOPMENT_DRAIN : { graceMs: drainGraceMs },
  )
  await listen(front, port, host)
}

function reload(): void {
  reloadCatalogue().then(
    () => log().info('models file reloaded'),
    (error: unknown) => log().error({ err: error }, 'models file is invalid; the last valid one stays in use'),
  )
}

async function listen({ server }: Front, port: number, host: string): Promise<void> {
  server.listen({ port, host, backlog: 1024 })
  await once(server, 'listening')
}

/**
 * Gives Next the configuration of the build, as the `server.js` of its standalone output does. To read `next.config.ts`
 * it would load a compiler and a validator: 30 MB that stay.
 */
async function giveBuiltConfig(root: string): Promise<void> {
  const built = await readFile(path.join(root, '.next', 'required-server-files.json'), 'utf8')
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify((JSON.parse(built) as { config: object }).config)
}

async function openPages(server: Server, isDevelopment: boolean): Promise<Handler> {
  const { root, port, host } = config()
  if (!isDevelopment) await giveBuiltConfig(root)
  // Loaded late: Next and React choose their build by NODE_ENV when they are first loaded.
  const { default: next } = await import('next')
  // Next listens for WebSocket upgrades on the server it is given. Only hot reload has any, so otherwise it gets one
  // that never listens, and Node treats an upgrade request as the plain request it is.
  const app = next({
    dev: isDevelopment,
    dir: root,
    hostname: host,
    port,
    httpServer: isDevelopment ? server : new Server(),
    quiet: true,
  })
  await app.prepare()
  const pass = app.getRequestHandler()
  const policyOf = createPagePolicy(path.join(root, '.next'), isDevelopment)
  return (request, response) => {
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value)
    const target = request.url ?? '/'
    if (!target.startsWith('/_next/')) {
      const policy = policyOf()
      response.setHeader('Content-Security-Policy', policy.header)
      setHeader(request, 'content-security-policy', policy.requestHeader)
    }
    inLanguageOf(request, () => void pass(request, response))
  }
}
