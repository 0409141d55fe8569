import type { IncomingMessage, ServerResponse } from 'node:http'

/** What the front emits on a request whose body came too slowly: whoever reads it must answer 408. */
export const BODY_LATE = 'bodyLate'

/** What a URL of the platform leaves as it is. */
const PLAIN_TARGET = /^\/[\w\-.~!$&()*+,;=:@/?]*$/
/** `.` and `..` as segments. */
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/

/** A request as handlers see it, read straight from Node's own. It has what handlers use; the rest of `Request` is not there. */
export class LightRequest {
  /** Who is asked by one of these answers with a `LightResponse`. */
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

  /** Aborted when the client leaves before its reply is complete. Made when somebody asks for it. */
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

  /** The whole body, which may be taken once. @throws when it does not arrive in full. */
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

  /** The body as it comes. Who leaves it early leaves the connection as it is. */
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

/** Hands a body on until it ends, its client leaves, or the front gives it up as late. @returns what stops that */
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

/** Fields of a request, by their names in lower case. Node joins those that come twice, as the platform does. */
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
