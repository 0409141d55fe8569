import { noteWaiting } from '@/lib/browser/offline'

const WORKER = '/sw.js'
const CHECK_EVERY_MS = 60 * 60_000
const ASKED_FOR = 'lagoon:keep-pages'
const FETCHED = 'lagoon:pages-kept'
const CONTROL_MS = 10_000
const KEEP_MS = 120_000

/**
 * Starts the worker that caches pages for offline reading. Not in development, and not in a browser that a program
 * drives, unless it asks: its tests are to meet the server as a newcomer does.
 * @param fetchRest loads what reading needs and this page has not loaded.
 */
export async function keepPages(fetchRest: () => Promise<unknown>): Promise<void> {
  const { serviceWorker } = navigator
  if (process.env.NODE_ENV !== 'production' || !serviceWorker || (navigator.webdriver && !isAskedFor())) return
  const hadWorker = serviceWorker.controller !== null
  const registration = await serviceWorker.register(WORKER, { updateViaCache: 'none' }).catch(() => undefined)
  if (!registration) return
  watchUpdates(registration, hadWorker)
  const { active } = await serviceWorker.ready
  if (!active) return
  await untilControlled(serviceWorker)
  const isFirst = isNewBuild()
  if (isFirst) await fetchRest().catch(() => undefined)
  await keepLoaded(active)
  if (isFirst) noteBuild()
}

function untilControlled(container: ServiceWorkerContainer): Promise<void> {
  if (container.controller) return Promise.resolve()
  return new Promise((resolve) => {
    container.addEventListener('controllerchange', () => resolve(), { once: true })
    setTimeout(resolve, CONTROL_MS)
  })
}

function keepLoaded(worker: ServiceWorker): Promise<void> {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const urls = [...new Set(loaded)].filter((url) => url.includes('/_next/static/'))
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => resolve()
    setTimeout(resolve, KEEP_MS)
    worker.postMessage({ type: 'keep', urls }, [port2])
  })
}

function watchUpdates(registration: ServiceWorkerRegistration, hadWorker: boolean): void {
  const { serviceWorker } = navigator
  const look = () => {
    if (registration.waiting && serviceWorker.controller) noteWaiting(registration.waiting)
  }
  look()
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', look)
  })
  // The first worker takes a page as it is; another one comes with pages of its own.
  let isReplaced = hadWorker
  serviceWorker.addEventListener('controllerchange', () => {
    if (isReplaced) window.location.reload()
    isReplaced = true
  })
  const check = () => void registration.update().catch(() => undefined)
  setInterval(check, CHECK_EVERY_MS)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') check()
  })
}

function isNewBuild(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } }
  if (connection?.saveData === true) return false
  try {
    return localStorage.getItem(FETCHED) !== buildOf(document)
  } catch {
    return false
  }
}

function noteBuild(): void {
  try {
    localStorage.setItem(FETCHED, buildOf(document))
  } catch {
    // The next visit fetches once more, from the cache.
  }
}

const buildOf = ({ scripts }: Document): string =>
  [...scripts]
    .flatMap(({ src }) => (src === '' ? [] : (src.split('/').at(-1) ?? [])))
    .slice(0, 3)
    .join(' ')

function isAskedFor(): boolean {
  try {
    return localStorage.getItem(ASKED_FOR) !== null
  } catch {
    return false
  }
}
