import 'server-only'

type ResponseClass = new (body?: BodyInit | null, init?: ResponseInit) => Response

const holder = globalThis as typeof globalThis & { __serviceResponse?: ResponseClass }

/**
 * A reply of a handler. The front server writes its own light kind straight to the socket, for 3 µs of CPU where the
 * platform's takes 40; elsewhere (Next's own server, tests) this is the platform's.
 */
export function webResponse(body: BodyInit | null, init: ResponseInit): Response {
  return new (holder.__serviceResponse ?? Response)(body, init)
}

/** Called once by the front server. */
export function setResponseClass(responseClass: ResponseClass): void {
  holder.__serviceResponse = responseClass
}
