'use client'

import { useMemo } from 'react'
import { t } from '@/lib/i18n/t'

type CodePreviewProps = { source: string; isSvg: boolean }

/** Shows a page or a drawing that a model wrote: without scripts, origin or network. */
export function CodePreview({ source, isSvg }: CodePreviewProps) {
  const page = useMemo(() => staticPage(isSvg ? SVG_PAGE + source : source, new DOMParser()), [source, isSvg])
  if (page.html === undefined) {
    return (
      <p className="px-4 py-3 text-14 text-ink-2">
        {t('This code can’t be previewed safely. View the source instead.')}
      </p>
    )
  }
  return (
    <div>
      <iframe
        srcDoc={page.html}
        title={t('Code preview')}
        // Nothing is allowed: no script, no form, no origin, no other page.
        sandbox=""
        referrerPolicy="no-referrer"
        // A page without colours of its own is black on white, whatever the colours around it.
        className="block h-96 min-h-32 w-full resize-y bg-[#fff] [color-scheme:light]"
      />
      <p className="rounded-b-card border-t border-line bg-sunken px-4 py-2 text-12 text-ink-3">
        {page.hasScripts
          ? t(
              'Scripts are off because browsers can’t fully block their network access. To run this page, download and open the file.',
            )
          : t('Shown without scripts and network access.')}
      </p>
    </div>
  )
}

const SVG_PAGE =
  '<!doctype html><meta charset="utf-8"><style>body{margin:0;min-height:100vh;display:grid;place-items:center}' +
  'svg{max-width:100%;max-height:100vh;height:auto}</style>'

const REMOVED = [
  'script',
  'link',
  'meta',
  'base',
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'portal',
  'fencedframe',
  'template',
  'noscript',
  'noframes',
  'noembed',
  'xmp',
  'plaintext',
] as const

const REMOVED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'action',
  'archive',
  'attributionsrc',
  'background',
  'classid',
  'codebase',
  'dynsrc',
  'formaction',
  'imagesrcset',
  'lowsrc',
  'manifest',
  'ping',
  'srcdoc',
  'srcset',
])
const SOURCES: ReadonlySet<string> = new Set(['src', 'poster', 'data'])
const LINK = /(?:^|:)href$/
const DATA = /^\s*data:/i

/** A tag name anywhere in the text, whatever a parser takes the place for: an element, a comment, a style. */
const TAG = new RegExp(`<(?:/?(?:${REMOVED.join('|')})(?![\\w-])|[!?])`, 'i')
/** A style sheet needs no tag start outside of a string, where the escape means the same. */
const TAG_START_IN_STYLE = /<(?=[a-z/!?])/gi

/** The document of a `srcdoc` frame: without it a link within the page would leave the page. */
const HERE = 'about:srcdoc'

const POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:`

/** Removing may bring something to light once more; text that does so again and again is not shown. */
const MAX_ROUNDS = 4

type StaticPage = {
  /** For the `srcdoc` of a sandboxed frame; `undefined` where the markup could not be made safe. */
  html: string | undefined
  hasScripts: boolean
}

/**
 * Makes HTML of an unknown author into a page that can only be looked at: without scripts, other documents, and
 * whatever opens a connection without asking a content policy (`<link rel=preconnect>`, the addresses of links).
 */
function staticPage(source: string, parser: DOMParser): StaticPage {
  let html = source
  let hasScripts = false
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const page = parser.parseFromString(html, 'text/html')
    hasScripts = clean(page) || hasScripts
    html = page.documentElement.outerHTML
    if (TAG.test(html)) continue
    const policy = page.createElement('meta')
    policy.setAttribute('http-equiv', 'Content-Security-Policy')
    policy.setAttribute('content', POLICY)
    page.head.prepend(policy)
    return { html: `<!doctype html>${page.documentElement.outerHTML}`, hasScripts }
  }
  return { html: undefined, hasScripts }
}

function clean(page: Document): boolean {
  let hasScripts = false
  const comments = page.createTreeWalker(page, NodeFilter.SHOW_COMMENT | NodeFilter.SHOW_PROCESSING_INSTRUCTION)
  const unseen: Node[] = []
  while (comments.nextNode()) unseen.push(comments.currentNode)
  for (const node of unseen) node.parentNode?.removeChild(node)
  // It is what a page says where no script runs, as here.
  for (const element of page.querySelectorAll('noscript')) element.replaceWith(...element.childNodes)
  for (const element of page.querySelectorAll(REMOVED.join(','))) {
    if (element.localName === 'script') hasScripts = true
    element.remove()
  }
  for (const element of page.querySelectorAll('*')) {
    if (LINK.test(element.getAttribute('attributeName') ?? '')) element.remove()
    if (element.localName === 'style') {
      element.textContent = (element.textContent ?? '').replace(TAG_START_IN_STYLE, '\\3c ')
    }
    for (const { name, value } of [...element.attributes]) {
      const allowed = allowedValue(element.localName, name.toLowerCase(), value)
      if (allowed === undefined) element.removeAttribute(name)
      else if (allowed !== value) element.setAttribute(name, allowed)
      if (/^on/i.test(name)) hasScripts = true
    }
  }
  return hasScripts
}

function allowedValue(element: string, name: string, value: string): string | undefined {
  if (name.startsWith('on') || REMOVED_ATTRIBUTES.has(name)) return undefined
  if (TAG.test(value)) return DATA.test(value) ? allowedValue(element, name, value.replaceAll('<', '%3C')) : undefined
  if (SOURCES.has(name)) return DATA.test(value) ? value : undefined
  if (!LINK.test(name)) return value
  const isLink = element === 'a' || element === 'area'
  if (value.startsWith('#')) return isLink ? HERE + value : value
  return isLink ? (value.startsWith(`${HERE}#`) ? value : undefined) : DATA.test(value) ? value : undefined
}
