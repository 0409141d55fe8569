// Keeps the app's own pages and files, so that chats can be read without a connection. `/sw.js` sets `self.BUILD` and
// loads this file: another build is another worker, with caches of its own.
//
// Pages: the network first, and what was kept when it fails or takes too long. A page is kept with its headers, so that
// its content security policy is the one whose hashes fit its scripts. Files under /_next/static carry their hash in
// their name and never change: the cache first. Nothing of /api, of another origin or of a shared chat is ever kept,
// and nothing is asked for that the page did not ask for, but for the pages below.

const PAGES = `pages-${self.BUILD}`
const FILES = `files-${self.BUILD}`

/** All chats are one page; its words come from the browser's database. */
const CHAT_PAGE = '/c/-'
const OFFLINE_PAGE = '/offline'
/** Kept before they are visited. */
const SHELL = [
  '/',
  CHAT_PAGE,
  OFFLINE_PAGE,
  '/characters',
  '/settings',
  '/settings/general',
  '/settings/appearance',
  '/settings/models',
  '/settings/money',
  '/settings/privacy',
  '/settings/shortcuts',
  '/settings/about',
  '/before-paint.js',
]
/** Beginnings of the paths whose pages are kept when they are visited. */
const KEPT = ['/characters', '/settings', '/rpc', '/wallet', '/studio']
const SMALL_FILES = [
  '/before-paint.js',
  '/icon.svg',
  '/icon-app.svg',
  '/icon-192.png',
  '/icon-512.png',
  '/manifest.webmanifest',
]
const STATIC = '/_next/static/'
/** A file of the build, as pages and scripts name it. */
const STATIC_NAME = /\/_next\/static\/[\w./~%@-]+\.(?:js|css|woff2)/g
/** The same in a script that loads it later. */
const CHUNK_NAME = /static\/chunks\/[\w.~%@-]+\.(?:js|css)/g

/** A page that is kept is shown when the network has not answered within this time. */
const SLOW_MS = 4_000
const MAX_PAGES = 60
const MAX_FILES = 600
/** The page may ask to keep what it has loaded so far; no page loads more. */
const MAX_ASKED = 400

self.addEventListener('install', (event) => event.waitUntil(keepShell()))

self.addEventListener('activate', (event) => event.waitUntil(dropOthers().then(() => self.clients.claim())))

self.addEventListener('fetch', (event) => {
  const plan = planOf(event.request)
  if (plan === 'page') event.respondWith(freshPage(event))
  else if (plan === 'small') event.respondWith(fresh(event, new URL(event.request.url).pathname))
  else if (plan === 'file') event.respondWith(file(event.request))
})

self.addEventListener('message', (event) => {
  const { type, urls } = event.data ?? {}
  // Said by the person, who clicked on `Reload`.
  if (type === 'take-over') self.skipWaiting()
  // What the page loaded before this worker was there, and what its parts are loaded by. It is told when that is done.
  if (type === 'keep' && Array.isArray(urls)) {
    const loaded = urls.slice(0, MAX_ASKED).map(String)
    const done = keepFiles(loaded).then(() => keepParts(loaded))
    event.waitUntil(done.finally(() => event.ports?.[0]?.postMessage('kept')))
  }
  // The person chose another language, which the pages are written in.
  if (type === 'renew-pages') event.waitUntil(renewPages())
})

/** What is done with a request: `none` leaves it to the browser, as if there were no worker. */
function planOf({ method, url, mode, headers }) {
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin) return 'none'
  if (pathname.startsWith(STATIC)) return 'file'
  if (SMALL_FILES.includes(pathname)) return 'small'
  // The framework's own fragments of pages: without a connection it asks for the whole page, which is kept.
  if (mode !== 'navigate' || headers.get('rsc') !== null) return 'none'
  return pathname.startsWith('/api/') ? 'none' : 'page'
}

/** Under what name a page is kept; nothing for one that is not. */
function pageKey(pathname) {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
  if (path === '/' || path === OFFLINE_PAGE) return path
  if (/^\/c\/[\w-]{1,64}$/.test(path)) return CHAT_PAGE
  return KEPT.some((start) => path === start || path.startsWith(`${start}/`)) ? path : undefined
}

async function freshPage(event) {
  const key = pageKey(new URL(event.request.url).pathname)
  const response = await fresh(event, key).catch(() => undefined)
  return response ?? (await kept(PAGES, OFFLINE_PAGE)) ?? Response.error()
}

/** From the network, else what was kept. What comes late is kept for the next time. */
async function fresh(event, key) {
  const before = key === undefined ? undefined : await kept(PAGES, key)
  const asked = fetch(event.request).then(async (response) => {
    if (key !== undefined && isWhole(response)) await keep(PAGES, key, response.clone(), MAX_PAGES)
    return response
  })
  if (!before) return asked
  event.waitUntil(asked.catch(() => undefined))
  const slow = new Promise((resolve) => setTimeout(() => resolve(before), SLOW_MS))
  return Promise.race([asked.catch(() => before), slow])
}

/** From the cache; else from the network, once. */
async function file(request) {
  const found = await caches.match(request.url, { ignoreVary: true })
  if (found) return asAskedFor(request, found)
  const response = await fetch(request)
  if (isWhole(response)) await keep(FILES, request.url, response.clone(), MAX_FILES)
  return response
}

/**
 * A kept response says its own address, which has lost what stood after the `#`; the scripts of workers read their
 * parameters there. One that is made anew has the address that was asked for.
 */
function asAskedFor(request, found) {
  if (!request.url.includes('#')) return found
  return new Response(found.body, { status: found.status, headers: found.headers })
}

/** Only what came complete, from here and without a detour. */
function isWhole(response) {
  return response.status === 200 && response.type === 'basic' && !response.redirected
}

/** Without `/` there is no app to keep; the rest is kept as far as it comes. */
async function keepShell() {
  const names = new Set()
  for (const path of SHELL) {
    const response = await fetch(path, { cache: 'no-cache', credentials: 'same-origin' }).catch(() => undefined)
    if (!response || !isWhole(response)) {
      if (path === '/') throw new Error('the first page could not be kept')
      continue
    }
    const text = await response.clone().text()
    for (const [name] of text.matchAll(STATIC_NAME)) names.add(name)
    await keep(PAGES, path, response, MAX_PAGES)
  }
  await keepFiles([...names])
}

/** What cannot be had anew now is better than nothing: without a connection all stays as it is. */
async function renewPages() {
  const first = await fetch('/', { cache: 'no-cache', credentials: 'same-origin' }).catch(() => undefined)
  if (!first || !isWhole(first)) return
  await caches.delete(PAGES)
  await keepShell()
}

async function keepFiles(urls) {
  const cache = await caches.open(FILES)
  for (const url of urls) {
    const { href, origin, pathname } = new URL(url, self.location.origin)
    if (origin !== self.location.origin || !pathname.startsWith(STATIC)) continue
    if (await cache.match(href, { ignoreVary: true })) continue
    const response = await fetch(href, { credentials: 'same-origin' }).catch(() => undefined)
    if (response && isWhole(response)) await keep(FILES, href, response, MAX_FILES)
  }
}

/**
 * The files that the scripts of the first pages, and those that a page has loaded, load when a part is first shown:
 * without them a page that is read offline would miss that part.
 */
async function keepParts(loaded) {
  const scripts = new Set(loaded.filter((url) => url.endsWith('.js')))
  for (const page of ['/', CHAT_PAGE]) {
    const text = await (await kept(PAGES, page))?.text()
    for (const [name] of (text ?? '').matchAll(STATIC_NAME)) if (name.endsWith('.js')) scripts.add(name)
  }
  // The script of a thread names what the thread loads behind the `#` of its address.
  const parts = new Set(
    loaded.flatMap((url) => Array.from(decoded(url.split('#')[1] ?? '').matchAll(STATIC_NAME), ([name]) => name)),
  )
  for (const script of scripts) {
    const text = await (await kept(FILES, script))?.text()
    for (const [name] of (text ?? '').matchAll(CHUNK_NAME)) parts.add(`/_next/${name}`)
  }
  await keepFiles([...parts].slice(0, MAX_ASKED))
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

async function kept(name, key) {
  const cache = await caches.open(name)
  return cache.match(key, { ignoreVary: true, ignoreSearch: true })
}

/** A browser whose storage is full keeps nothing, and loses nothing by it. What was kept longest makes room. */
async function keep(name, key, response, most) {
  try {
    const cache = await caches.open(name)
    await cache.put(key, response)
    const keys = await cache.keys()
    for (const old of keys.slice(0, Math.max(0, keys.length - most))) await cache.delete(old)
  } catch {
    // As above.
  }
}

/** What other builds kept. */
async function dropOthers() {
  for (const name of await caches.keys()) {
    if (/^(?:pages|files)-/.test(name) && name !== PAGES && name !== FILES) await caches.delete(name)
  }
}
