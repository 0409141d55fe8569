import type { IncomingMessage, ServerResponse } from 'node:http'
import { batchPerTick } from '@/lib/kernel/batch-per-tick'
import { log } from '@/lib/kernel/log'
import type { RouteHandler } from '@/lib/pipeline/endpoint'
import type { LightResponse } from '@/lib/pipeline/light-response'
import { Chunks } from '@/lib/pipeline/reply'
import type { Handler } from '@/server/front'
import { LightRequest } from '@/server/light-request'
import { endReply } from '@/server/linger'
import { FAILED, MALFORMED, type Refusal, refuse } from '@/server/refusal'
import { createRouter, type Match, METHODS, type Method, type Route } from '@/server/router'

const NO_SUCH_ENDPOINT: Refusal = { status: 404, code: 'NOT_FOUND', message: 'There is no such endpoint.' }

/** Mounts the route handlers of `app/api` on plain Node requests, without Next in between. */
export function createApi(routes: readonly Route[]): Handler {
  const match = createRouter(routes)
  const begin = batchPerTick<[IncomingMessage, ServerResponse]>(
    ([incoming, outgoing]) => void answer(match, incoming, outgoing),
  )
  return (incoming, outgoing) => begin([incoming, outgoing])
}

async function answer(
  match: (path: string) => Match | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const found = match(pathOf(incoming.url ?? '/'))
    const handler = found && handlerOf(found, incoming.method)
    if (!handler) return refuse(outgoing, NO_SUCH_ENDPOINT)
    const reply = await handler(asRequest(new LightRequest(incoming, outgoing)), {
      params: Promise.resolve(found.params),
      pattern: found.pattern,
    })
    writeReply(incoming, outgoing, asLight(reply))
  } catch (error) {
    if (error instanceof URIError) return refuse(outgoing, MALFORMED)
    log().error({ err: error }, 'a handler threw')
    refuse(outgoing, FAILED)
  }
}

function pathOf(target: string): string {
  const end = target.indexOf('?')
  const path = end < 0 ? target : target.slice(0, end)
  if (path.includes('\\')) throw new URIError('a backslash in the path')
  return path
}

function handlerOf({ module }: Match, sent = 'GET'): RouteHandler | undefined {
  // A method that Next would not route either answers as an unknown one does: 405 by the module itself.
  const method = METHODS.includes(sent as Method) ? (sent as Method) : 'PUT'
  return module[method] ?? (method === 'HEAD' ? module.GET : undefined)
}

const asRequest = (request: LightRequest): Request => request as unknown as Request

const asLight = (reply: Response): LightResponse => reply as unknown as LightResponse

/** Writes a handler's reply. Returns at once; a stream goes on by itself. */
function writeReply(
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
