'use client'

import { useMemo } from 'react'
import { staticPage } from '@/lib/browser/static-page'
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
