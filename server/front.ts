import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'
import { bucketOf, setHeader, stampClientAddress } from '@/server/client-address'
import { BODY_LATE } from '@/server/light-request'
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

/** Source: docs/operators.md, "Limits". */
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

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export type FrontOptions = {
  /** Says who answers a path. */
  handlerOf: (path: string) => Handler
  /** Host and port of the public origin: what handlers see as the request's host, whatever the client wrote. */
  host: string
  /** Says whether a name that a client wrote is one of ours. Left out where a proxy may rewrite it: all are. */
  isOwnHost?: (host: string) => boolean
  trustedProxies: number
  limits?: Partial<Limits>
  onConnections?: (open: number) => void
}

export type Front = {
  server: Server
  /** No new connection or request is taken; resolves when the last running one has ended. */
  drain: () => Promise<void>
  /** Ends what is still running, in the middle of whatever it does. */
  destroy: () => void
}

/** What is going on at one connection: its latest request, and the pace at which that one's body comes. */
type Connection = Listed & {
  socket: Socket
  request?: IncomingMessage
  /** Replies that may be unfinished, oldest first: a client may send its next request before the last reply has ended. */
  responses: ServerResponse[]
  startedAt: number
  /** Since when the pace is measured, and how many bytes had come by then. */
  since: number
  bytesBefore: number
}

/** Where a socket has its connection. */
const CONNECTION = Symbol('connection')

const connectionOf = (socket: Duplex): Connection | undefined => (socket as { [CONNECTION]?: Connection })[CONNECTION]

/**
 * The one listener of the product: bounds on everything a client may leave unfinished, the client's address, a clean
 * answer to what is not HTTP, and an end that loses no running reply.
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
    options.handlerOf(path)(request, response)
  })

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = connectionOf(socket)
    const running = connection && oldestResponse(connection)
    // A reply that has begun cannot be followed by another one; a reset connection takes none.
    if (error.code === 'ECONNRESET' || running?.headersSent) socket.destroy()
    else refuseOnSocket(socket, refusalOf(error.code))
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

/**
 * The path of a request target in either form that a server gets, and makes it the first one; nothing for the rest
 * (`*`, an authority).
 */
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

/** The reply that is being written: those behind it wait for it, and say nothing of what the client reads. */
function oldestResponse({ responses }: Connection): ServerResponse | undefined {
  while (responses[0]?.writableFinished || responses[0]?.destroyed) responses.shift()
  return responses[0]
}

/** The client has said all and has read all: the silence is ours, however long it takes. */
function isWaitingForUs(connection: Connection): boolean {
  const response = oldestResponse(connection)
  return response?.writableLength === 0 && response.req.complete
}

/** Looks at the pace of a body. What keeps it is measured anew, so that a body which has nearly all come may not stall either. */
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

/** Says 408 where no reply has begun: through whoever reads the body, else on the connection itself. */
function endLateBody(connection: Connection): void {
  const { socket, request } = connection
  // Whatever happens to it now, it is told of its lateness once.
  connection.request = undefined
  if (oldestResponse(connection)?.headersSent) socket.destroy()
  else if (!request?.emit(BODY_LATE)) refuseOnSocket(socket, TOO_SLOW)
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return HEADERS_TOO_LARGE
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW
  return MALFORMED
}

/** Bounds of one connection. Tests pass shorter ones. */
export type Limits = {
  /** Request line and headers together, in bytes. A wallet's credential header alone may take 12 KB. */
  headerBytes: number
  /** Until the headers are complete. */
  headersTimeoutMs: number
  /** Until the body is complete, unless it keeps coming at `bodyBytesPerSecond`. */
  bodyTimeoutMs: number
  /** Until the body is complete, at any speed. */
  uploadTimeoutMs: number
  bodyBytesPerSecond: number
  /** An idle connection between two requests. */
  keepAliveTimeoutMs: number
  /** A reply of which the client reads nothing. */
  writeStallMs: number
  /** How often unfinished heads and bodies are looked at. */
  checkIntervalMs: number
  connectionsPerAddress: number
  connections: number
  /** After so many requests the client opens a new connection, so that load spreads again. */
  requestsPerConnection: number
}
