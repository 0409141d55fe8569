import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { config } from '@/lib/kernel/config'
import { newRay } from '@/lib/kernel/request-context'
import { CORS_HEADERS } from '@/lib/pipeline/cors'
import { errorHeaders } from '@/lib/pipeline/reply'

/** A reply of the front itself, before any handler. */
export type Refusal = { status: number; code: string; message: string; retryAfterSeconds?: number }

export const MALFORMED: Refusal = {
  status: 400,
  code: 'INVALID_REQUEST',
  message: 'This is not a well-formed HTTP request.',
}
export const HEADERS_TOO_LARGE: Refusal = {
  status: 431,
  code: 'INVALID_REQUEST',
  message: 'The request line and headers are larger than 16 KB.',
}
export const FAILED: Refusal = {
  status: 500,
  code: 'UNKNOWN_ERROR',
  message: 'Something went wrong on our side; try again.',
}
export const TOO_SLOW: Refusal = {
  status: 408,
  code: 'REQUEST_TIMEOUT',
  message: 'The request did not arrive in time. Send it again on a faster connection, or in smaller parts.',
}
export const TOO_MANY_CONNECTIONS: Refusal = {
  status: 429,
  code: 'RATE_LIMIT_EXCEEDED',
  message: 'Too many open connections from your address. Close some, or use one connection for several requests.',
  retryAfterSeconds: 5,
}
export const STOPPING: Refusal = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The server is restarting. Try again in a moment.',
  retryAfterSeconds: 2,
}

export function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = bodyOf(refusal)
  endReply(response.req, response.writeHead(refusal.status, headersOf(refusal, body)), body)
}

export function refuseOnSocket(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = bodyOf(refusal)
  const head = Object.entries(headersOf(refusal, body)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${head.join('')}\r\n${body}`, () =>
    socket.destroy(),
  )
}

/** Source: API contract, README 7.1 (E1). */
const bodyOf = (refusal: Refusal): string => JSON.stringify({ error: refusal.message, code: refusal.code })

function headersOf(refusal: Refusal, body: string): Record<string, string> {
  const headers: Record<string, string> = {
    ...CORS_HEADERS,
    ...errorHeaders(),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Date: new Date().toUTCString(),
    'CF-RAY': newRay(),
    'x-service-version': config().version,
  }
  if (refusal.retryAfterSeconds !== undefined) headers['Retry-After'] = String(refusal.retryAfterSeconds)
  return headers
}

export type LingerLimits = { bytes: number; totalMs: number; idleMs: number }

/** Source: docs/operators.md, "Limits". */
const LINGER: LingerLimits = { bytes: 64 * 1024 * 1024, totalMs: 60_000, idleMs: 5_000 }

/**
 * Sends a body and ends the reply. While the request is still arriving, its rest is read and dropped: closing on unread
 * bytes resets the connection, and a client that is busy sending never sees the reply (RFC 9112, 9.6).
 */
export function endReply(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: string | Uint8Array | null,
  limits: LingerLimits = LINGER,
): void {
  if (incoming.complete || !body?.length) {
    outgoing.end(body ?? undefined)
    return
  }
  // The head tells the length, so the client has the whole reply before it has ended.
  outgoing.write(body)
  discardRest(incoming, limits, () => {
    outgoing.end()
    if (!incoming.complete) incoming.socket.destroySoon()
  })
}

function discardRest(incoming: IncomingMessage, { bytes, totalMs, idleMs }: LingerLimits, done: () => void): void {
  let left = bytes
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    clearTimeout(total)
    clearTimeout(idle)
    incoming.pause()
    done()
  }
  const total = setTimeout(end, totalMs).unref()
  const idle = setTimeout(end, idleMs).unref()
  incoming.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end()
    else idle.refresh()
  })
  incoming.once('end', end)
  incoming.once('close', end)
  incoming.resume()
}
