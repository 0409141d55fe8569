import 'server-only'
import { config } from '@/lib/kernel/config'

export type Cookie = {
  read: (headers: Headers) => string | undefined
  set: (value: string, maxAgeSeconds: number) => string
  clear: () => string
}

/** Names a cookie of our own pages, which no script reads and no other site sends. */
export function ownCookie(name: string): Cookie {
  /** Browsers let no other host and no plain connection set a `__Host-` cookie. */
  const fullName = () => (isSecure() ? `__Host-${name}` : name)
  const set = (value: string, maxAgeSeconds: number) => {
    const secure = isSecure() ? '; Secure' : ''
    return `${fullName()}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
  }
  return {
    read(headers) {
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
