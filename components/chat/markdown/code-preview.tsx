'use client'

import { useEffect, useRef } from 'react'
import { t } from '@/lib/i18n/t'

/** Where the empty page is that takes the source. Its own policy lets nothing in or out. */
const PREVIEW_PAGE = '/preview.html'
const READY = 'preview-ready'

type CodePreviewProps = { source: string; isSvg: boolean }

/**
 * A page or a picture that a model wrote, run in a frame without an origin: it reaches neither this page nor its storage,
 * and no network. It gets its source by a message, once.
 */
export function CodePreview({ source, isSvg }: CodePreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    let isSent = false
    const send = (event: MessageEvent) => {
      const target = frame.current?.contentWindow
      if (isSent || !target || event.source !== target || event.data !== READY) return
      isSent = true
      // The frame has no origin that could be named; only this one has its window.
      target.postMessage(isSvg ? SVG_PAGE + source : source, '*')
    }
    window.addEventListener('message', send)
    if (frame.current) frame.current.src = PREVIEW_PAGE
    return () => window.removeEventListener('message', send)
  }, [source, isSvg])
  return (
    <div>
      <iframe
        ref={frame}
        title={t('Preview of the code')}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        // A page without colours of its own is black on white, whatever the colours around it.
        className="block h-96 min-h-32 w-full resize-y bg-[#fff] [color-scheme:light]"
      />
      <p className="rounded-b-card border-t border-line bg-sunken px-4 py-2 text-12 text-ink-3">
        {t('This runs apart from the page, without network and without your data.')}
      </p>
    </div>
  )
}

const SVG_PAGE =
  '<!doctype html><meta charset="utf-8"><style>body{margin:0;min-height:100vh;display:grid;place-items:center}' +
  'svg{max-width:100%;max-height:100vh;height:auto}</style>'
