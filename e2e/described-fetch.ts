import type { OpenApiDocument } from '@/lib/openapi/document'
import { checkOf, type DocumentCheck, type Place } from '@/lib/openapi/testing-check'

/** Longer bodies are not kept: what would be seen in them is seen in the short ones. */
const MAX_CHECKED_BYTES = 4_000_000

/**
 * From now on every reply of the API that anything here fetches is held against the document that the server hands out:
 * its head at once, its body when it was read to its end. What does not agree fails the fetch, or the reading.
 *
 * @param baseUrl the service's own, up to and including `/v1`; another one after a restart.
 * @returns what ends it.
 */
export async function describeReplies(baseUrl: () => string): Promise<() => void> {
  const plain = globalThis.fetch
  const reply = await plain(baseUrl().replace(/\/api\/v1$/, '/doc/api/openapi.json'))
  const check = checkOf((await reply.json()) as OpenApiDocument)
  const described: typeof fetch = async (input, init) => {
    const response = await plain(input, init)
    const url = input instanceof Request ? input.url : String(input)
    if (!url.startsWith(`${baseUrl()}/`)) return response
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    if (method === 'OPTIONS') return response
    return held(check, check.placeOf(method, url.slice(baseUrl().length)), response)
  }
  globalThis.fetch = described
  return () => {
    if (globalThis.fetch === described) globalThis.fetch = plain
  }
}

function held(check: DocumentCheck, place: Place | undefined, response: Response): Response {
  const { status, statusText, headers, url } = response
  const fail = (faults: string[]) => {
    if (faults.length > 0) throw new Error(`${place ?? url} ${status} is not as described: ${faults.join('; ')}`)
  }
  fail(check.faultsOfHead(place, status, headers))
  if (!response.body) return response
  const chunks: Uint8Array[] = []
  let length = 0
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length
      if (length <= MAX_CHECKED_BYTES) chunks.push(chunk)
      controller.enqueue(chunk)
    },
    flush() {
      if (length > MAX_CHECKED_BYTES) return
      fail(check.faultsOfBody(place, status, headers, Buffer.concat(chunks).toString()))
    },
  })
  const same = new Response(response.body.pipeThrough(passing), { status, statusText, headers })
  return Object.defineProperty(same, 'url', { value: url })
}
