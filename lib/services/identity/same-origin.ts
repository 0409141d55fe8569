import 'server-only'
import { config, isLoopback } from '@/lib/kernel/config'

/**
 * True when the request comes from a page of our own origin: the only kind whose cookie counts. Browsers set both
 * headers and let no page change them. `Origin` decides where it is sent; `null` (a sandboxed frame, a file) is nobody.
 */
export function isSameOrigin(headers: Headers): boolean {
  const origin = headers.get('origin')
  if (origin !== null) return isOwnOrigin(origin)
  return headers.get('sec-fetch-site') === 'same-origin' && isOwnHost(headers.get('host'))
}

function isOwnOrigin(origin: string): boolean {
  if (origin === config().origin) return true
  if (!config().isSandbox || !URL.canParse(origin)) return false
  const own = new URL(config().origin)
  const other = new URL(origin)
  // The sandbox serves this machine only, and its names are one host there.
  return (
    isLoopback(own.hostname) && isLoopback(other.hostname) && own.protocol === other.protocol && own.port === other.port
  )
}

/**
 * A name that an attacker owns can be pointed at 127.0.0.1, and a page under it is then "same-origin" with us. Only a
 * sandbox on loopback needs the check: elsewhere a proxy may rewrite `Host`, and a session takes a signature over the
 * domain or is there for everybody. The server's front asks first, since it then writes its own name over the client's.
 */
export function isOwnHost(host: string | null): boolean {
  const { isSandbox, origin } = config()
  if (!isSandbox || !isLoopback(new URL(origin).hostname)) return true
  return host !== null && isOwnOrigin(`${new URL(origin).protocol}//${host}`)
}
