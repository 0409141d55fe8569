import { Server } from 'node:http'
import path from 'node:path'
import { config } from '@/lib/kernel/config'
import { setHeader } from '@/server/client-address'
import { createPagePolicy } from '@/server/content-policy'
import type { Handler } from '@/server/front'
import { inLanguageOf } from '@/server/language'

/** Headers of everything that Next answers. Sources: OWASP Secure Headers; research T57 to T61. */
const SECURITY_HEADERS: readonly [string, string][] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  // A browser would look up the names of links as soon as an answer has them, and a name can carry words off.
  ['X-DNS-Prefetch-Control', 'off'],
  ['Permissions-Policy', 'camera=(), geolocation=(), payment=(), usb=(), microphone=(self)'],
]

export type Pages = { handle: Handler; close: () => Promise<void> }

/** Opens Next for everything that is not the API: built pages, or with hot reload in development. */
export async function openPages(server: Server, isDevelopment: boolean): Promise<Pages> {
  const { root, port, host } = config()
  // Loaded late: Next and React choose their build by NODE_ENV when they are first loaded.
  const { default: next } = await import('next')
  // Next listens for WebSocket upgrades on the server it is given. Only hot reload has any, so otherwise it gets one
  // that never listens, and Node treats an upgrade request as the plain request it is.
  const app = next({
    dev: isDevelopment,
    dir: root,
    hostname: host,
    port,
    httpServer: isDevelopment ? server : new Server(),
    quiet: true,
  })
  await app.prepare()
  const pass = app.getRequestHandler()
  const policyOf = createPagePolicy(path.join(root, '.next'), isDevelopment)
  return {
    handle(request, response) {
      for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value)
      const target = request.url ?? '/'
      if (!target.startsWith('/_next/')) {
        const policy = policyOf()
        response.setHeader('Content-Security-Policy', policy.header)
        setHeader(request, 'content-security-policy', policy.requestHeader)
      }
      inLanguageOf(request, () => void pass(request, response))
    },
    close: () => app.close(),
  }
}
