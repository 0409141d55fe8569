import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The page that Next serves for an address it does not know; its scripts are those of the root layout. */
const FALLBACK = '/_not-found'
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g

export type PagePolicy = {
  /** `Content-Security-Policy` of the reply. */
  header: string
  /** What Next reads the nonce from while it renders a page on demand. */
  requestHeader: string
}

/**
 * Says which scripts a page may run. Pages rendered at build time carry the same inline scripts for everybody, so
 * those are named by their hash; a page rendered on demand gets a nonce of its own.
 *
 * @param root the folder of the built app, `.next`.
 */
export function createPagePolicy(root: string, isDevelopment: boolean): (pagePath: string) => PagePolicy {
  const pages = new Set(isDevelopment ? [] : prerendered(root))
  const hashes = new Map<string, string>()
  const hashesOf = (page: string): string => {
    let known = hashes.get(page)
    if (known === undefined) {
      known = inlineHashes(root, page)
      hashes.set(page, known)
    }
    return known
  }
  return (pagePath) => {
    const page = pagePath.length > 1 ? pagePath.replace(/\/$/, '') : pagePath
    const nonce = `'nonce-${randomBytes(16).toString('base64')}'`
    const allowed = isDevelopment
      ? `'unsafe-inline' 'unsafe-eval'`
      : `${nonce}${hashesOf(pages.has(page) ? page : FALLBACK)}`
    return { header: policy(allowed, isDevelopment), requestHeader: `script-src ${nonce}` }
  }
}

function policy(scripts: string, isDevelopment: boolean): string {
  return [
    `default-src 'self'`,
    `script-src 'self' ${scripts}`,
    // React writes style attributes, and floating menus place themselves with a style element.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:`,
    `media-src 'self' data: blob:`,
    `font-src 'self'`,
    `connect-src 'self'${isDevelopment ? ' ws:' : ''}`,
    `worker-src 'self' blob:`,
    `frame-src 'none'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

function prerendered(root: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'prerender-manifest.json'), 'utf8'))
  return Object.keys((manifest as { routes?: Record<string, unknown> }).routes ?? {})
}

function inlineHashes(root: string, page: string): string {
  let html: string
  try {
    html = readFileSync(path.join(root, 'server', 'app', `${page === '/' ? 'index' : page.slice(1)}.html`), 'utf8')
  } catch {
    // A route that is prerendered but is no page (an icon, a sitemap).
    return ''
  }
  const found = new Set<string>()
  for (const [, script = ''] of html.matchAll(INLINE_SCRIPT)) {
    if (script !== '') found.add(` 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  }
  return [...found].join('')
}
