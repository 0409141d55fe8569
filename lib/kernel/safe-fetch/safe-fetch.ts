import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { Client } from 'undici'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { literalAddress } from '@/lib/kernel/safe-fetch/public-address'
import { FetchRefused, type RefusalReason, refused } from '@/lib/kernel/safe-fetch/refused'
import { type Address, parseTarget, portOf, type Reach, resolveHost, vetTarget } from '@/lib/kernel/safe-fetch/target'
import { Semaphore } from '@/lib/kernel/semaphore'

export { FetchRefused, type RefusalReason } from '@/lib/kernel/safe-fetch/refused'

const USER_AGENT = 'Mozilla/5.0 (compatible; Lagoon)'
const MAX_REDIRECTS = 3
const TOTAL_MS = 30_000
const HEAD_MS = 10_000
const MAX_HEADER_BYTES = 16_384
const MAX_CHARSET_CHARS = 40
const MAX_AT_ONCE = 64
/** A refused address takes at least a random time in this range, so that a closed port looks like a forbidden one. */
const FLOOR_MS = { least: 50, most: 150 }
const QUIET: ReadonlySet<RefusalReason> = new Set(['address', 'unreachable', 'timeout'])
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])

export type FetchOptions = {
  maxBytes: number
  maxRedirects?: number
  timeoutMs?: number
  isBlocked?: (url: URL) => boolean
  accept?: string
  accepts?: (mime: string) => boolean
  signal: AbortSignal
}

export type Fetched = {
  url: string
  mime: string
  charset?: string
  bytes: Uint8Array
}

type SafeFetch = (url: string, options: FetchOptions) => Promise<Fetched>

export type SafeFetchSetup = Pick<Reach, 'resolve' | 'allowOrigins'> & {
  ports?: ReadonlySet<number>
  ca?: string
  slots?: Semaphore
}

/**
 * Fetches an address that came from a caller, a page or a model: public hosts only, every redirect checked, no
 * credentials of ours, every size and time bounded.
 *
 * @throws FetchRefused, or the signal's reason when aborted.
 */
export const safeFetch: SafeFetch = createSafeFetch({
  resolve: resolveHost,
  allowOrigins: { has: (origin) => config().egressAllowOrigins.has(origin) },
  // Only the places are shared by the process: an error must be of the class that its own bundle knows.
  slots: perProcess('fetch-slots', () => new Semaphore(MAX_AT_ONCE)),
})

export function createSafeFetch(setup: SafeFetchSetup): SafeFetch {
  const reach: Reach = { ...setup, ports: setup.ports ?? WEB_PORTS }
  const slots = setup.slots ?? new Semaphore(MAX_AT_ONCE)
  return async (address, options) => {
    options.signal.throwIfAborted()
    const startedAt = performance.now()
    const ending = new AbortController()
    const leave = () => ending.abort(options.signal.reason)
    const timer = setTimeout(() => ending.abort(refused('timeout', 'total time')), options.timeoutMs ?? TOTAL_MS)
    options.signal.addEventListener('abort', leave)
    try {
      const giveBack = await slots.acquire(ending.signal)
      try {
        return await follow(address, options, { reach, ca: setup.ca, ending })
      } finally {
        giveBack()
      }
    } catch (thrown) {
      if (options.signal.aborted) throw options.signal.reason
      const refusal = refusalOf(ending.signal.aborted ? ending.signal.reason : thrown)
      log().debug({ reason: refusal.reason, host: URL.parse(address)?.host, detail: refusal.cause }, 'fetch refused')
      if (QUIET.has(refusal.reason)) await waitFloor(startedAt, options.signal)
      throw new FetchRefused(refusal.reason, { message: refusal.message })
    } finally {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', leave)
    }
  }
}

type Run = { reach: Reach; ca?: string; ending: AbortController }
type Reply = { status: number; headers: IncomingHttpHeaders; body: Readable }

async function follow(address: string, options: FetchOptions, run: Run): Promise<Fetched> {
  let url = parseTarget(address)
  for (let left = options.maxRedirects ?? MAX_REDIRECTS; ; left--) {
    if (options.isBlocked?.(url)) throw refused('blocked', url.hostname)
    const outcome = await exchange(url, options, run, async (reply): Promise<Fetched | URL> => {
      if (!REDIRECTS.has(reply.status)) return receive(url, reply, options, run)
      if (left === 0) throw refused('redirect', 'one too many')
      return redirectOf(url, reply)
    })
    if (!(outcome instanceof URL)) return outcome
    url = outcome
  }
}

async function exchange<T>(url: URL, options: FetchOptions, run: Run, use: (reply: Reply) => Promise<T>): Promise<T> {
  const { signal } = run.ending
  const addresses = await vetTarget(url, run.reach, signal)
  const socket = await dial(url, addresses, { signal, ca: run.ca })
  const client = new Client(url.origin, {
    // Later, because undici overlooks a connection that is there before it waits for one.
    connect: (_target, done) => queueMicrotask(() => done(null, socket)),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Undici's own timers are off: `ending` and the timer below cover them.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  })
  const timer = setTimeout(() => run.ending.abort(refused('timeout', 'no reply')), HEAD_MS)
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: {
        'user-agent': USER_AGENT,
        accept: options.accept ?? '*/*',
        'accept-encoding': 'gzip, br, deflate',
      },
      reset: true,
      signal,
    })
    clearTimeout(timer)
    // Left unread after a refusal, it fails when its connection is destroyed.
    body.on('error', () => {})
    return await use({ status: statusCode, headers, body })
  } finally {
    clearTimeout(timer)
    socket.destroy()
    client.destroy().catch(() => {})
  }
}

function redirectOf(from: URL, reply: Reply): URL {
  const { location } = reply.headers
  if (typeof location !== 'string') throw refused('redirect', 'no single Location')
  let to: URL
  try {
    to = parseTarget(location, from)
  } catch (thrown) {
    throw thrown instanceof FetchRefused && thrown.reason === 'scheme' ? refused('redirect', 'scheme') : thrown
  }
  if (from.protocol === 'https:' && to.protocol !== 'https:') throw refused('redirect', 'to plain text')
  return to
}

async function receive(url: URL, reply: Reply, options: FetchOptions, run: Run): Promise<Fetched> {
  const { status, headers, body } = reply
  if (status < 200 || status > 299) {
    throw new FetchRefused('status', { message: `The server of the address answered with status ${status}.` })
  }
  const { mime, charset } = contentTypeOf(headers)
  if (options.accepts && !options.accepts(mime)) throw refused('type', mime)
  const bytes = await readBody(body, codingOf(headers, options.maxBytes), {
    maxBytes: options.maxBytes,
    signal: run.ending.signal,
    onSlow: (reason) => run.ending.abort(reason),
  })
  return { url: url.href, mime, ...(charset && { charset }), bytes }
}

function contentTypeOf(headers: IncomingHttpHeaders): { mime: string; charset?: string } {
  const text = [headers['content-type'] ?? ''].flat()[0] ?? ''
  const mime = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(text)?.[1]?.toLowerCase() ?? ''
  const charset = /;\s*charset\s*=\s*"?([\w.:+-]+)"?/i.exec(text)?.[1]?.toLowerCase()
  return { mime, charset: charset?.slice(0, MAX_CHARSET_CHARS) }
}

function refusalOf(thrown: unknown): FetchRefused {
  return thrown instanceof FetchRefused ? thrown : new FetchRefused('unreachable', { cause: thrown })
}

async function waitFloor(startedAt: number, signal: AbortSignal): Promise<void> {
  const floorMs = FLOOR_MS.least + Math.random() * (FLOOR_MS.most - FLOOR_MS.least)
  const leftMs = floorMs - (performance.now() - startedAt)
  if (leftMs > 0) await sleep(leftMs, undefined, { ref: false, signal }).catch(() => signal.throwIfAborted())
}

const CONNECT_MS = 5_000
const NEXT_ADDRESS_MS = 1_000

/**
 * Connects to one of these addresses only; TLS verifies the URL's host name. The caller destroys the socket.
 *
 * @throws FetchRefused 'timeout', the signal's reason when aborted, or the error of the connection.
 */
function dial(url: URL, addresses: Address[], options: { signal: AbortSignal; ca?: string }): Promise<Socket> {
  const { signal } = options
  signal.throwIfAborted()
  const host = literalAddress(url.hostname) ?? url.hostname.replace(/\.$/, '')
  const target = {
    host,
    port: portOf(url),
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
  }
  const isTls = url.protocol === 'https:'
  const socket = isTls
    ? connectTls({
        ...target,
        servername: isIP(host) ? undefined : host,
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: true,
        ca: options.ca,
      })
    : connectTcp(target)
  const outcome = Promise.withResolvers<Socket>()
  const fail = (reason: unknown) => {
    socket.destroy()
    outcome.reject(reason)
  }
  const leave = () => fail(signal.reason)
  const timer = setTimeout(() => fail(refused('timeout', 'connect')), CONNECT_MS)
  signal.addEventListener('abort', leave)
  socket.on('error', outcome.reject)
  socket.once('close', () => outcome.reject(new Error('The connection closed at once')))
  socket.once(isTls ? 'secureConnect' : 'connect', () => outcome.resolve(socket))
  return outcome.promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  })
}

function pinned(addresses: Address[]): LookupFunction {
  return (_hostname, options, done) => {
    const wanted = addresses.filter(({ family }) => !options.family || options.family === family)
    const first = wanted[0]
    if (options.all) done(null, wanted)
    else if (first) done(null, first.address, first.family)
    else done(new Error('No address of that family'), '', 0)
  }
}

/** Maximum growth by decompression, beyond a first megabyte. */
const MAX_RATIO = 100
const FREE_OF_RATIO_BYTES = 1_048_576
const SPEED_WINDOW_MS = 5_000
const MIN_BYTES_PER_WINDOW = 5_120

type Coding = 'identity' | 'gzip' | 'br' | 'deflate'

type BodyOptions = {
  maxBytes: number
  signal: AbortSignal
  onSlow: (reason: FetchRefused) => void
}

function codingOf(headers: IncomingHttpHeaders, maxBytes: number): Coding {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw refused('too-large', 'announced length')
  const layers = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  if (layers.length > 1) throw refused('encoding', `${layers.length} encodings`)
  switch (layers[0]) {
    case undefined:
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'br':
    case 'deflate':
      return layers[0]
    default:
      throw refused('encoding', 'an encoding that was not asked for')
  }
}

async function readBody(body: Readable, coding: Coding, options: BodyOptions): Promise<Uint8Array> {
  const counted = { rawBytes: 0, bytes: 0 }
  const chunks: Buffer[] = []
  const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  const stopWatching = watchSpeed(counted, options.onSlow)

  async function* raw(first: Buffer) {
    for (let chunk: Buffer | undefined = first; chunk; chunk = await nextOf(source)) {
      counted.rawBytes += chunk.length
      if (counted.rawBytes > options.maxBytes) throw refused('too-large', 'bytes on the wire')
      yield chunk
    }
  }
  async function collect(decoded: AsyncIterable<Buffer>) {
    for await (const chunk of decoded) {
      counted.bytes += chunk.length
      if (counted.bytes > options.maxBytes) throw refused('too-large', 'decoded bytes')
      if (counted.bytes > FREE_OF_RATIO_BYTES + MAX_RATIO * counted.rawBytes) throw refused('too-large', 'ratio')
      chunks.push(chunk)
    }
  }
  try {
    const first = await nextOf(source)
    if (!first) return new Uint8Array()
    const decoder = decoderOf(coding, first)
    if (decoder) await pipeline(raw(first), decoder, collect, { signal: options.signal })
    else await collect(raw(first))
    return Buffer.concat(chunks, counted.bytes)
  } catch (thrown) {
    throw isDecoderError(thrown) ? new FetchRefused('encoding', { cause: thrown }) : thrown
  } finally {
    stopWatching()
  }
}

async function nextOf(source: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { done, value } = await source.next()
  return done ? undefined : value
}

function decoderOf(coding: Coding, first: Buffer): Transform | undefined {
  switch (coding) {
    case 'identity':
      return undefined
    case 'gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    // Servers disagree whether `deflate` has zlib's header; its low nibble tells (RFC 1950, section 2.2).
    case 'deflate':
      return (first[0]! & 0x0f) === 8 ? createInflate() : createInflateRaw()
  }
}

function isDecoderError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && /^(Z_|ERR__|ERR_BROTLI)/.test(String(thrown.code))
}

function watchSpeed(counted: { rawBytes: number }, onSlow: BodyOptions['onSlow']): () => void {
  let before = 0
  const timer = setInterval(() => {
    if (counted.rawBytes - before < MIN_BYTES_PER_WINDOW) onSlow(refused('timeout', 'slower than the least speed'))
    before = counted.rawBytes
  }, SPEED_WINDOW_MS)
  return () => clearInterval(timer)
}
