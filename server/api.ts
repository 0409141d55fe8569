import type { IncomingMessage, ServerResponse } from 'node:http'
import { batchPerTick } from '@/lib/kernel/batch-per-tick'
import { log } from '@/lib/kernel/log'
import type { RouteHandler } from '@/lib/pipeline/endpoint'
import type { LightResponse } from '@/lib/pipeline/light-response'
import type { Handler } from '@/server/front'
import { LightRequest } from '@/server/light-request'
import { FAILED, MALFORMED, type Refusal, refuse } from '@/server/refusal'
import { writeReply } from '@/server/reply'
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

/** @throws URIError for a path that browsers would read as another one. */
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

/** Handlers use of a request what `LightRequest` has. */
const asRequest = (request: LightRequest): Request => request as unknown as Request

/** Every route is an `endpoint`, whose replies are of this kind for who asks with a `LightRequest`. */
const asLight = (reply: Response): LightResponse => reply as unknown as LightResponse
