import type { OpenApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { checkOf, typeOf } from '@/lib/endpoints/docs/openapi/testing-check'

/** A reply that passed by. The bytes are kept where they are read by the document. */
type SeenReply = {
  method: string
  /** Below the base, as it was sent. */
  path: string
  status: number
  headers: Headers
  chunks: Uint8Array[]
  /** Its reader came to the end. */
  isWhole: boolean
}

export type WatchedReplies = {
  /** What is wrong, by the document, with the replies since the last time; each with its request. */
  faults: (document: OpenApiDocument) => string[]
  /** `fetch` is again what it was. */
  stop: () => void
}

const BASE = '/api/v1'
const READ_TYPES = new Set(['application/json', 'text/event-stream'])
const MAX_SHOWN_CHARACTERS = 400

/**
 * Looks at every reply that `fetch` gets from below `/api/v1` of any server, on its way to whoever asked. Nothing is read
 * that they do not read, and nothing is judged before `faults` is called: who streams, stops or measures notices nothing.
 */
export function watchReplies(): WatchedReplies {
  const original = globalThis.fetch
  let seen: SeenReply[] = []
  let check: ReturnType<typeof checkOf> | undefined
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init)
    const request = requestOf(input, init)
    if (!request) return response
    const { status, headers } = response
    const reply: SeenReply = { ...request, status, headers, chunks: [], isWhole: false }
    seen.push(reply)
    return watched(response, reply)
  }
  return {
    faults(document) {
      check ??= checkOf(document)
      const judged = seen
      seen = []
      return judged.flatMap((reply) => faultsOf(reply, check!))
    },
    stop() {
      globalThis.fetch = original
    },
  }
}

function requestOf(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
): { method: string; path: string } | undefined {
  const sent = input instanceof Request ? input : undefined
  const { pathname, search } = new URL(sent?.url ?? String(input))
  if (!pathname.startsWith(`${BASE}/`)) return undefined
  return { method: (init?.method ?? sent?.method ?? 'GET').toUpperCase(), path: pathname.slice(BASE.length) + search }
}

/** The same reply, whose bytes are seen as they are read. */
function watched(response: Response, reply: SeenReply): Response {
  const { body, status, statusText, headers, url } = response
  if (!body) {
    reply.isWhole = true
    return response
  }
  const isRead = READ_TYPES.has(typeOf(headers))
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (isRead) reply.chunks.push(chunk)
      controller.enqueue(chunk)
    },
    flush() {
      reply.isWhole = true
    },
  })
  const same = new Response(body.pipeThrough(passing), { status, statusText, headers })
  // A reply that is made here would not know where it came from.
  return Object.defineProperty(same, 'url', { value: url })
}

function faultsOf(reply: SeenReply, { placeOf, faultsOfHead, faultsOfBody }: ReturnType<typeof checkOf>): string[] {
  const { method, path, status, headers, chunks, isWhole } = reply
  if (method === 'OPTIONS') return status === 204 ? [] : [`OPTIONS ${path}: a preflight answered ${status}`]
  const place = placeOf(method, path)
  const text = Buffer.concat(chunks).toString()
  const isJudged = isWhole && method !== 'HEAD'
  const faults = [
    ...faultsOfHead(place, status, headers),
    ...(isJudged ? faultsOfBody(place, status, headers, text) : []),
  ]
  return faults.map((fault) => `${method} ${path} ${status}: ${fault}\n  ${text.slice(0, MAX_SHOWN_CHARACTERS)}`)
}
