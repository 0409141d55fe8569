import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LightResponse } from '@/lib/pipeline/light-response'
import { Chunks } from '@/lib/pipeline/when-done'
import { endReply } from '@/server/linger'

/** Writes a handler's reply. Returns at once; a stream goes on by itself. */
export function writeReply(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: LightResponse,
): void {
  if (body instanceof Chunks) {
    outgoing.writeHead(status, headers)
    outgoing.flushHeaders()
    void writeChunks(outgoing, body)
  } else {
    if (body !== null) headers['Content-Length'] ??= String(Buffer.byteLength(body))
    endReply(incoming, outgoing.writeHead(status, headers), body)
  }
}

/** One chunk when the client has taken the one before, until the end, or until the client leaves. */
async function writeChunks(outgoing: ServerResponse, chunks: Chunks): Promise<void> {
  if (outgoing.closed) void chunks.leave()
  else outgoing.once('close', () => void chunks.leave())
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      if (!outgoing.write(chunk)) await drained(outgoing)
    }
    outgoing.end()
  } catch {
    // Whoever ended the stream has heard why. The client gets what there was, and sees that it is not whole.
    outgoing.socket?.destroySoon()
  }
}

/** Until there is room again, or nobody who takes it. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      outgoing.off('drain', go)
      outgoing.off('close', go)
      resolve()
    }
    outgoing.once('drain', go)
    outgoing.once('close', go)
  })
}
