import type { IncomingMessage, ServerResponse } from 'node:http'
import { batchPerTick } from '@/lib/kernel/batcher'
import { log } from '@/lib/kernel/log'
import type { Params } from '@/lib/kernel/request-context'
import { Chunks, type LightResponse } from '@/lib/pipeline/reply'
import { METHODS, type Method, type RouteHandler } from '@/lib/pipeline/route'
import { BODY_LATE, type Handler } from '@/server/front'
import { endReply, FAILED, MALFORMED, type Refusal, refuse } from '@/server/refusal'

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

const PLAIN_TARGET = /^\/[\w\-.~!$&()*+,;=:@/?]*$/
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/

class LightRequest {
  readonly takesLightReplies = true
  readonly method: string
  readonly headers: LightHeaders
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  #leaving?: AbortController

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? 'GET'
    this.headers = new LightHeaders(incoming)
    this.#incoming = incoming
    this.#outgoing = outgoing
  }

  get url(): string {
    const target = this.#incoming.url ?? '/'
    const url = `http://${this.#incoming.headers.host}${target}`
    return PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target) ? url : new URL(url).href
  }

  get signal(): AbortSignal {
    if (this.#leaving) return this.#leaving.signal
    const leaving = new AbortController()
    const outgoing = this.#outgoing
    const close = () => {
      if (!outgoing.writableFinished) leaving.abort(new Error('The client left.'))
    }
    if (outgoing.closed) close()
    else outgoing.once('close', close)
    this.#leaving = leaving
    return leaving.signal
  }

  bytes(): Promise<Buffer<ArrayBuffer>> {
    const incoming = this.#incoming
    // Mostly all of it has come by now.
    if (incoming.complete && !incoming.destroyed) return Promise.resolve(takeAll(incoming))
    return new Promise((resolve, reject) => {
      const chunks: Buffer<ArrayBuffer>[] = []
      receive(incoming, {
        chunk: (chunk) => void chunks.push(chunk),
        end: () => resolve(joined(chunks)),
        cut: reject,
      })
    })
  }

  get body(): ReadableStream<Uint8Array> {
    const incoming = this.#incoming
    let stop: () => void
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stop = receive(incoming, {
            chunk(chunk) {
              controller.enqueue(chunk)
              incoming.pause()
            },
            end: () => controller.close(),
            cut: (error) => controller.error(error),
          })
          incoming.pause()
        },
        pull: () => void incoming.resume(),
        cancel: () => stop(),
      },
      { highWaterMark: 0 },
    )
  }
}

/** What has come of a body. Since Node 26 `read` returns what came in one piece only. */
function takeAll(incoming: IncomingMessage): Buffer<ArrayBuffer> {
  const chunks: Buffer<ArrayBuffer>[] = []
  for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk)
  return joined(chunks)
}

const joined = (chunks: Buffer<ArrayBuffer>[]): Buffer<ArrayBuffer> =>
  chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)

type Receiver = { chunk: (chunk: Buffer<ArrayBuffer>) => void; end: () => void; cut: (error: Error) => void }

function receive(incoming: IncomingMessage, receiver: Receiver): () => void {
  const end = () => {
    stop()
    receiver.end()
  }
  const close = () => {
    stop()
    receiver.cut(new Error('The client left.'))
  }
  const late = () => {
    stop()
    receiver.cut(new Error('The body is late.'))
  }
  function stop(): void {
    incoming.off('data', receiver.chunk).off('end', end).off('close', close).off(BODY_LATE, late)
  }
  incoming.on('data', receiver.chunk).on('end', end).on('close', close).on(BODY_LATE, late)
  // Of a request that is over no event tells any more.
  if (incoming.destroyed) close()
  return stop
}

class LightHeaders {
  readonly #fields: IncomingMessage['headers']

  constructor({ headers }: IncomingMessage) {
    this.#fields = headers
  }

  get(name: string): string | null {
    const value = this.#fields[name.toLowerCase()]
    if (typeof value === 'string') return value
    return Array.isArray(value) ? value.join(', ') : null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }
}

export type RouteModule = { readonly [method in Method]?: RouteHandler }

/** Folders of `app/` below the root, as named there (`[id]`, `[...path]`). */
export type Route = { pattern: readonly string[]; module: RouteModule }

/** `pattern`: for logs and metrics. @example "/api/v1/crypto/rpc/:network" */
type Match = { module: RouteModule; params: Params; pattern: string }

type Node = {
  fixed: Map<string, Node>
  dynamic?: { name: string; node: Node }
  rest?: { name: string; end: End }
  end?: End
}

type End = Pick<Match, 'module' | 'pattern'>

const PARAMETER = /^\[(\.\.\.)?([^\]]+)\]$/
const MAX_SEGMENTS = 32
const MAX_REMEMBERED = 1_000
const MAX_REMEMBERED_CHARACTERS = 256

/**
 * Creates a router with Next's precedence: a fixed segment before `[name]` before `[...name]`.
 *
 * @throws URIError when a segment is not valid percent-encoding.
 */
export function createRouter(routes: readonly Route[]): (path: string) => Match | undefined {
  const root: Node = { fixed: new Map() }
  const whole = new Map<string, Match>()
  for (const { pattern, module } of routes) {
    const end = { module, pattern: `/${pattern.map(segmentName).join('/')}` }
    add(root, pattern, end)
    if (!pattern.some((segment) => segment.startsWith('['))) whole.set(end.pattern, { ...end, params: {} })
  }
  const remembered = new Map<string, Match>()
  return (path) => {
    const known = whole.get(path) ?? remembered.get(path)
    if (known) return known
    // `/models/` is `/models`: a redirect would lose the body of many clients.
    const segments = path.slice(1).split('/', MAX_SEGMENTS + 1)
    if (segments.at(-1) === '') segments.pop()
    if (segments.length > MAX_SEGMENTS) return undefined
    const found = find(root, segments.map(decodeURIComponent), 0)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    if (found && path.length <= MAX_REMEMBERED_CHARACTERS) remembered.set(path, found)
    return found
  }
}

const segmentName = (segment: string): string => segment.replace(PARAMETER, ':$2')

function add(root: Node, pattern: readonly string[], end: End): void {
  let node = root
  for (const segment of pattern) {
    const [, dots, name] = PARAMETER.exec(segment) ?? []
    if (dots && name) {
      node.rest = { name, end }
      return
    }
    if (name) {
      node.dynamic ??= { name, node: { fixed: new Map() } }
      if (node.dynamic.name !== name) throw new Error(`[${name}] and [${node.dynamic.name}] stand in one place`)
      node = node.dynamic.node
    } else {
      const next = node.fixed.get(segment) ?? { fixed: new Map() }
      node.fixed.set(segment, next)
      node = next
    }
  }
  node.end = end
}

function find(node: Node, segments: string[], index: number): Match | undefined {
  if (index === segments.length) return node.end && { ...node.end, params: {} }
  const segment = segments[index]!
  const fixed = node.fixed.get(segment)
  const byName = fixed && find(fixed, segments, index + 1)
  if (byName) return byName
  if (node.dynamic && segment !== '') {
    const match = find(node.dynamic.node, segments, index + 1)
    if (match) return { ...match, params: { ...match.params, [node.dynamic.name]: segment } }
  }
  return node.rest && { ...node.rest.end, params: { [node.rest.name]: segments.slice(index) } }
}
