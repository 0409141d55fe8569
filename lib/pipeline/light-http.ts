import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { byteStream, Chunks } from '@/lib/pipeline/reply'

export type ReplyBody = string | Uint8Array<ArrayBuffer> | Chunks | null
export type ReplyHead = { status: number; headers: Record<string, string> }

/** A reply for our own front: creating and reading the platform's `Response` costs 40 µs of CPU. */
export class LightResponse {
  readonly body: ReplyBody
  readonly status: number
  readonly headers: Record<string, string>

  constructor(body: ReplyBody, { status, headers }: ReplyHead) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

export function webResponse(request: Request, body: ReplyBody, head: ReplyHead): Response {
  if ('takesLightReplies' in request) return asResponse(new LightResponse(body, head))
  return new Response(body instanceof Chunks ? byteStream(body) : body, head)
}

const asResponse = (reply: LightResponse): Response => reply as unknown as Response

/** Event of a request whose body arrives too slowly: its reader must answer 408. */
export const BODY_LATE = 'bodyLate'

const PLAIN_TARGET = /^\/[\w\-.~!$&()*+,;=:@/?]*$/
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/

export class LightRequest {
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
    if (incoming.complete && !incoming.destroyed) return Promise.resolve(incoming.read() ?? Buffer.alloc(0))
    return new Promise((resolve, reject) => {
      const chunks: Buffer<ArrayBuffer>[] = []
      receive(incoming, {
        chunk: (chunk) => void chunks.push(chunk),
        end: () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
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
