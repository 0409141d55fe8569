import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { config, isLoopback } from '@/lib/kernel/config'

/**
 * Tells whether a request comes from a page of our own origin, the only kind whose cookie counts. Browsers set both
 * headers and let no page change them. An `Origin` of `null` (a sandboxed frame, a file) is foreign.
 */
export function isSameOrigin(headers: Headers): boolean {
  const origin = headers.get('origin')
  if (origin !== null) return isOwnOrigin(origin)
  return headers.get('sec-fetch-site') === 'same-origin' && isOwnHost(headers.get('host'))
}

/** @throws ApiError UNAUTHORIZED with `message` for a program, and for a page of another origin. */
export function assertSameOrigin({ headers }: { headers: Headers }, message: string): void {
  if (!isSameOrigin(headers)) throw new ApiError('UNAUTHORIZED', message)
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
 * A name of an attacker may point at 127.0.0.1 (DNS rebinding), and a page under it is then "same-origin". Only a
 * sandbox on loopback needs the check: elsewhere a proxy may rewrite `Host`, and a session takes a signature over the
 * domain. The server's front checks first, since it then writes its own `Host`.
 */
export function isOwnHost(host: string | null): boolean {
  const { isSandbox, origin } = config()
  if (!isSandbox || !isLoopback(new URL(origin).hostname)) return true
  return host !== null && isOwnOrigin(`${new URL(origin).protocol}//${host}`)
}

/** Names a cookie of our own pages, which no script reads and no other site sends. */
export function ownCookie(name: string) {
  /** Browsers let no other host and no plain connection set a `__Host-` cookie. */
  const fullName = () => (isSecure() ? `__Host-${name}` : name)
  const set = (value: string, maxAgeSeconds: number) => {
    const secure = isSecure() ? '; Secure' : ''
    return `${fullName()}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
  }
  return {
    read(headers: Headers): string | undefined {
      const start = `${fullName()}=`
      const found = headers
        .get('cookie')
        ?.split(';')
        .find((pair) => pair.trimStart().startsWith(start))
      return found?.trim().slice(start.length)
    },
    set,
    clear: () => set('', 0),
  }
}

const isSecure = (): boolean => config().origin.startsWith('https:')
