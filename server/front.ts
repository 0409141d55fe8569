import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CLIENT_ADDRESS_HEADER } from '@/lib/contract/headers'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'
import { bucketOf, clientAddress } from '@/server/client-address'
import {
  HEADERS_TOO_LARGE,
  MALFORMED,
  type Refusal,
  refuse,
  refuseOnSocket,
  STOPPING,
  TOO_MANY_CONNECTIONS,
  TOO_SLOW,
} from '@/server/refusal'

const LIMITS: Limits = {
  headerBytes: 16_384,
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 60_000,
  uploadTimeoutMs: 300_000,
  bodyBytesPerSecond: 10_000,
  keepAliveTimeoutMs: 65_000,
  writeStallMs: 60_000,
  checkIntervalMs: 5_000,
  connectionsPerAddress: 100,
  connections: 10_000,
  requestsPerConnection: 10_000,
}

/** Event of a request whose body arrives too slowly: its reader must answer 408. */
export const BODY_LATE = 'bodyLate'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Probes answer their own paths, the API what is below `/api`, pages everything else. Without `api`, pages answer that
 * too. May be filled until the server listens.
 */
export type Handlers = { probes: ReadonlyMap<string, Handler>; api?: Handler; pages?: Handler }

export type FrontOptions = {
  handlers: Handlers
  /** Host and port of the public origin, which handlers see whatever the client sent. */
  host: string
  /** Tells whether a client's `Host` is one of ours. Left out behind a proxy that may rewrite it. */
  isOwnHost?: (host: string) => boolean
  trustedProxies: number
  limits?: Partial<Limits>
  onConnections?: (open: number) => void
}

export type Front = {
  server: Server
  drain: () => Promise<void>
  destroy: () => void
}

type Connection = Listed & {
  socket: Socket
  request?: IncomingMessage
  /** Unfinished replies, oldest first: a client may pipeline requests. */
  responses: ServerResponse[]
  startedAt: number
  since: number
  bytesBefore: number
}

const CONNECTION = Symbol('connection')

const connectionOf = (socket: Duplex): Connection | undefined => (socket as { [CONNECTION]?: Connection })[CONNECTION]

/**
 * Creates the listener: bounds on everything a client may leave unfinished, the client's address, a clean answer to
 * what is not HTTP, and a shutdown that loses no running reply.
 */
export function createFront(options: FrontOptions): Front {
  const limits = { ...LIMITS, ...options.limits }
  const connections = new SwapRemoveList<Connection>()
  const perAddress = new Map<string, number>()
  let isDraining = false

  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Bodies are looked after below: they may take longer while they keep coming.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // Said below in the product's own words.
    requireHostHeader: false,
    noDelay: true,
    // As the platform has them; else of two credentials the first would count, and the second go unseen.
    joinDuplicateHeaders: true,
  })
  server.maxConnections = limits.connections
  server.maxRequestsPerSocket = limits.requestsPerConnection
  // Node looks at write progress too: this fires when neither side has moved a byte for so long.
  server.setTimeout(limits.writeStallMs, (socket) => {
    const connection = connectionOf(socket)
    if (connection && isWaitingForUs(connection)) return
    if (connection?.request?.complete === false) endLateBody(connection)
    else socket.destroy()
  })

  server.on('connection', (socket) => {
    const address = bucketOf(socket.remoteAddress)
    const open = (perAddress.get(address) ?? 0) + 1
    perAddress.set(address, open)
    const connection: Connection = { socket, responses: [], startedAt: 0, since: 0, bytesBefore: 0 }
    Object.assign(socket, { [CONNECTION]: connection })
    connections.add(connection)
    options.onConnections?.(connections.size)
    socket.once('close', () => {
      connections.delete(connection)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
      options.onConnections?.(connections.size)
    })
    // Behind a proxy all connections come from its address.
    if (options.trustedProxies > 0 || limits.connectionsPerAddress === 0) return
    if (open > limits.connectionsPerAddress) refuseOnSocket(socket, TOO_MANY_CONNECTIONS)
  })

  server.on('request', (request, response) => {
    const connection = connectionOf(request.socket)
    if (!connection || request.socket.destroyed) return
    connection.request = request
    connection.responses.push(response)
    if (connection.responses.length > 1) oldestResponse(connection)
    connection.startedAt = performance.now()
    connection.since = connection.startedAt
    connection.bytesBefore = request.socket.bytesRead
    const path = pathOf(request)
    if (path === undefined || (request.headers.host === undefined && request.httpVersion === '1.1')) {
      refuse(response, MALFORMED)
      return
    }
    if (isDraining) {
      refuse(response, STOPPING)
      return
    }
    // A page under a name that was pointed at this machine is "same-origin" with us for its browser, but not our own.
    if (request.headers['sec-fetch-site'] !== undefined && options.isOwnHost?.(request.headers.host ?? '') === false) {
      setHeader(request, 'sec-fetch-site', undefined)
    }
    setHeader(request, 'host', options.host)
    stampClientAddress(request, options.trustedProxies)
    const { probes, api, pages } = options.handlers
    const handle = probes.get(path) ?? (isApi(path) ? api : undefined) ?? pages!
    handle(request, response)
  })

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = connectionOf(socket)
    const running = connection && oldestResponse(connection)
    // A reply that has begun cannot be followed by another one; a reset connection takes none.
    if (error.code === 'ECONNRESET' || running?.headersSent) socket.destroy()
    else refuseOnSocket(socket, connectionRefusal(error.code))
  })

  const sweep = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) {
      if (isBodyLate(connection, now, limits)) endLateBody(connection)
    }
  }, limits.checkIntervalMs)
  sweep.unref()
  server.once('close', () => clearInterval(sweep))

  return {
    server,
    drain() {
      isDraining = true
      for (const { socket, responses } of connections) {
        const response = responses.at(-1)
        if (!response || response.writableFinished) continue
        // A reply whose head is still to come says that the connection ends with it; the others are closed behind.
        if (!response.headersSent) response.shouldKeepAlive = false
        response.once('close', () => socket.destroySoon())
      }
      // Node closes the idle connections by itself here.
      return new Promise((resolve) => server.close(() => resolve()))
    },
    destroy: () => server.closeAllConnections(),
  }
}

function pathOf(request: IncomingMessage): string | undefined {
  let target = request.url ?? ''
  if (/^https?:\/\//i.test(target)) {
    const slash = target.indexOf('/', target.indexOf('//') + 2)
    target = slash === -1 ? '/' : target.slice(slash)
    request.url = target
  }
  if (!target.startsWith('/')) return undefined
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

const isApi = (path: string): boolean => path.startsWith('/api/') || path === '/api'

function oldestResponse({ responses }: Connection): ServerResponse | undefined {
  while (responses[0]?.writableFinished || responses[0]?.destroyed) responses.shift()
  return responses[0]
}

function isWaitingForUs(connection: Connection): boolean {
  const response = oldestResponse(connection)
  return response?.writableLength === 0 && response.req.complete
}

/** Checks the pace of a body; it must keep up in every interval, so that it cannot stall near its end. */
function isBodyLate(connection: Connection, now: number, limits: Limits): boolean {
  const { socket, request, startedAt, since, bytesBefore } = connection
  if (!request || request.complete) return false
  const elapsedMs = now - since
  if (elapsedMs < limits.bodyTimeoutMs) return false
  const bytesPerSecond = (socket.bytesRead - bytesBefore) / (elapsedMs / 1000)
  if (now - startedAt >= limits.uploadTimeoutMs || bytesPerSecond < limits.bodyBytesPerSecond) return true
  connection.since = now
  connection.bytesBefore = socket.bytesRead
  return false
}

/** Answers 408 where no reply has begun, through the reader of the body or on the connection itself. */
function endLateBody(connection: Connection): void {
  const { socket, request } = connection
  // Whatever happens to it now, it is told of its lateness once.
  connection.request = undefined
  if (oldestResponse(connection)?.headersSent) socket.destroy()
  else if (!request?.emit(BODY_LATE)) refuseOnSocket(socket, TOO_SLOW)
}

function connectionRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return HEADERS_TOO_LARGE
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW
  return MALFORMED
}

/** Bounds of one connection. Source: docs/operators.md, "Limits". */
export type Limits = {
  /** Request line and headers; a wallet's credential header alone may take 12 KB. */
  headerBytes: number
  headersTimeoutMs: number
  /** For a body that is slower than `bodyBytesPerSecond`. */
  bodyTimeoutMs: number
  /** For any body. */
  uploadTimeoutMs: number
  bodyBytesPerSecond: number
  keepAliveTimeoutMs: number
  writeStallMs: number
  checkIntervalMs: number
  connectionsPerAddress: number
  connections: number
  /** Requests after which a client reconnects, so that load spreads again. */
  requestsPerConnection: number
}

export function stampClientAddress(request: IncomingMessage, trustedProxies: number): string {
  const forwarded = trustedProxies === 0 ? undefined : request.headers['x-forwarded-for']
  const address = clientAddress(request.socket.remoteAddress, forwarded as string | undefined, trustedProxies)
  setHeader(request, CLIENT_ADDRESS_HEADER, address)
  return address
}

/**
 * Sets a request header in both forms, since a web `Headers` object is made from the raw list. `name` in lower case.
 */
export function setHeader(request: IncomingMessage, name: string, value: string | undefined): void {
  const raw = request.rawHeaders
  for (let index = raw.length - 2; index >= 0; index -= 2) {
    const rawName = raw[index]!
    if (rawName.length === name.length && rawName.toLowerCase() === name) raw.splice(index, 2)
  }
  if (value === undefined) {
    delete request.headers[name]
  } else {
    raw.push(name, value)
    request.headers[name] = value
  }
}
