import type { IncomingMessage, ServerResponse } from 'node:http'

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
