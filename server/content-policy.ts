import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const FAULT_PAGE = '_global-error.html'
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g

export type PagePolicy = {
  header: string
  requestHeader: string
}

/**
 * Creates the Content-Security-Policy of pages: scripts with the reply's nonce, which Next writes into rendered pages,
 * and by hash those of the prerendered error page.
 *
 * @param root the folder of the built app, `.next`.
 */
export function createPagePolicy(root: string, isDevelopment: boolean): () => PagePolicy {
  const ofFaults = isDevelopment ? '' : inlineHashes(path.join(root, 'server', 'app', FAULT_PAGE))
  return () => {
    const nonce = `'nonce-${randomBytes(16).toString('base64')}'`
    const allowed = isDevelopment ? `'unsafe-inline' 'unsafe-eval'` : `${nonce}${ofFaults}`
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
    // Previews of code have no address (components/markdown/code-preview.tsx), and a frame that went to one would
    // carry off what it holds.
    `frame-src 'none'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

function inlineHashes(file: string): string {
  const html = readFileSync(file, 'utf8')
  const found = new Set<string>()
  for (const [, script = ''] of html.matchAll(INLINE_SCRIPT)) {
    if (script !== '') found.add(` 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  }
  return [...found].join('')
}
