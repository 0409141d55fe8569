import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The one page that the build renders: what is served where rendering failed. */
const FAULT_PAGE = '_global-error.html'
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g

/** Code of an answer runs in it, in a frame without an origin (components/chat/markdown/code-preview.tsx). */
const PREVIEW = '/preview.html'

export type PagePolicy = {
  /** `Content-Security-Policy` of the reply. */
  header: string
  /** `X-Frame-Options` of the reply. */
  frames: 'DENY' | 'SAMEORIGIN'
  /** What Next reads the nonce from while it renders a page on demand. */
  requestHeader: string
}

/**
 * Says which scripts a page may run: those with the nonce of its reply, which Next writes into a page it renders, and
 * those of the page for faults, by their hash.
 *
 * @param root the folder of the built app, `.next`.
 */
export function createPagePolicy(root: string, isDevelopment: boolean): (pagePath: string) => PagePolicy {
  const ofFaults = isDevelopment ? '' : inlineHashes(path.join(root, 'server', 'app', FAULT_PAGE))
  return (pagePath) => {
    const page = pagePath.length > 1 ? pagePath.replace(/\/$/, '') : pagePath
    if (page === PREVIEW) return { header: PREVIEW_POLICY, frames: 'SAMEORIGIN', requestHeader: '' }
    const nonce = `'nonce-${randomBytes(16).toString('base64')}'`
    const allowed = isDevelopment ? `'unsafe-inline' 'unsafe-eval'` : `${nonce}${ofFaults}`
    return { header: policy(allowed, isDevelopment), frames: 'DENY', requestHeader: `script-src ${nonce}` }
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
    // The preview page and nothing else: a frame that goes elsewhere would carry what it holds along.
    `frame-src 'self'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

/** Whatever runs there is hostile: no origin, no network, no way out; `sandbox` holds where it is opened by itself too. */
const PREVIEW_POLICY = [
  `default-src 'none'`,
  `script-src 'unsafe-inline'`,
  `style-src 'unsafe-inline'`,
  'img-src data:',
  'font-src data:',
  'media-src data:',
  `webrtc 'block'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'self'`,
  'sandbox allow-scripts',
].join('; ')

function inlineHashes(file: string): string {
  const html = readFileSync(file, 'utf8')
  const found = new Set<string>()
  for (const [, script = ''] of html.matchAll(INLINE_SCRIPT)) {
    if (script !== '') found.add(` 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  }
  return [...found].join('')
}
