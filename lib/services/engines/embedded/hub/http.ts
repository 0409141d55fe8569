/**
 * HTTP for downloads in a child process: redirects are followed by hand, a token goes to the hub alone, and addresses
 * inside private networks are refused unless the operator named their origin. Uses no path aliases.
 */
import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import {
  isOwnAddress,
  isPrivateName,
  isPublicAddress,
  literalAddress,
} from '../../../../kernel/safe-fetch/public-address.ts'
import { EngineError } from '../../engine.ts'

const MAX_REDIRECTS = 5
const CONNECT_MS = 15_000
const REDIRECTS = [301, 302, 303, 307, 308]
const USER_AGENT = 'Lagoon (model download)'
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

export type HttpReply = {
  status: number
  headers: Record<string, string>
  body: Readable
  /** Headers of the first reply, which a redirect to a content network hides. */
  first: Record<string, string>
  host: string
}

export type HttpOptions = { replyMs: number; stallMs: number }

export type Http = ReturnType<typeof createHttp>

/** A reply that may come if asked again: no answer, an answer cut off, a server in trouble. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/**
 * Creates a client that may reach public hosts and the given origins.
 *
 * @param token sent to the first of the origins only.
 */
export function createHttp(origins: string[], token: string | undefined, { replyMs, stallMs }: HttpOptions) {
  const hasProxy = PROXY_VARIABLES.some((name) => process.env[name])
  const timeouts = { headersTimeout: replyMs, bodyTimeout: stallMs }
  // A proxy resolves names itself, and decides what it reaches.
  const allowed: Dispatcher = hasProxy
    ? new EnvHttpProxyAgent(timeouts)
    : new Agent({ ...timeouts, connect: { timeout: CONNECT_MS } })
  const guarded: Dispatcher = hasProxy
    ? allowed
    : new Agent({ ...timeouts, connect: { timeout: CONNECT_MS, lookup: publicLookup } })

  /**
   * Sends a GET and follows redirects.
   *
   * @throws EngineError `failed` on a redirect that is not followed; Unreachable where another attempt may succeed.
   */
  async function get(address: string, headers: Record<string, string>, signal: AbortSignal): Promise<HttpReply> {
    let url = new URL(address)
    let first: Record<string, string> | undefined
    for (let hop = 0; ; hop++) {
      const isNamed = origins.includes(url.origin)
      if (!isNamed) assertPublic(url)
      const authorization = token !== undefined && url.origin === origins[0] ? { authorization: `Bearer ${token}` } : {}
      const reply = await request(url, {
        headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...headers, ...authorization },
        dispatcher: isNamed ? allowed : guarded,
        signal,
      }).catch((cause) => {
        throw signal.aborted ? signal.reason : failureOf(url, cause)
      })
      const flat = Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name, [value ?? ''].flat()[0]!]),
      )
      first ??= flat
      if (!REDIRECTS.includes(reply.statusCode)) {
        return { status: reply.statusCode, headers: flat, body: reply.body, first, host: url.host }
      }
      await reply.body.dump().catch(() => undefined)
      if (hop === MAX_REDIRECTS) throw new EngineError('failed', `${url.host} redirects too often. Try again later.`)
      url = redirectOf(url, flat.location, origins)
    }
  }

  return { get, failureOf, close: () => Promise.all([allowed.close(), guarded.close()]) }
}

function redirectOf(from: URL, location: string | undefined, origins: string[]): URL {
  const to = location === undefined ? null : URL.parse(location, from.href)
  if (!to || !/^https?:$/.test(to.protocol)) throw new EngineError('failed', `${from.host} redirects to no address.`)
  const isPlain = from.protocol === 'https:' && to.protocol === 'http:' && !origins.includes(to.origin)
  if (isPlain)
    throw new EngineError('failed', `${from.host} redirects to an address without encryption. It was not followed.`)
  return to
}

function assertPublic(url: URL): void {
  const literal = literalAddress(url.hostname)
  if (literal === undefined ? isPrivateName(url.hostname) : !isReachable(literal)) throw insideNetwork(url.host)
}

const isReachable = (address: string): boolean => isPublicAddress(address) && !isOwnAddress(address)

const insideNetwork = (host: string): EngineError =>
  new EngineError(
    'failed',
    `The download was redirected to ${host}, which is inside a private network. It was not followed. If this is your own hub, set HF_ENDPOINT to it.`,
  )

/** One private address refuses all: the next look-up might begin with it. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? []
    if (error || !first) return done(error ?? new Error('no address'), '', 0)
    if (!addresses.every(({ address }) => isReachable(address))) return done(insideNetwork(hostname), '', 0)
    return options.all ? done(null, addresses) : done(null, first.address, first.family)
  })
}

function failureOf(url: URL | string, cause: unknown): Error {
  if (cause instanceof EngineError) return cause
  if (cause instanceof Error && cause.cause instanceof EngineError) return cause.cause
  const host = typeof url === 'string' ? url : url.host
  const code = (cause as { code?: string }).code ?? ''
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new Unreachable(`${host} sends nothing`, { cause })
  }
  return new Unreachable(`${host} cannot be reached (${code || (cause as Error).message})`, { cause })
}
