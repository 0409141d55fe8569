'use client'

import { Download, WrapText } from 'lucide-react'
import dynamic from 'next/dynamic'
import { createContext, use, useRef, useState } from 'react'
import { Slot } from '@/components/common/slots'
import { CodeLines, useFold } from '@/components/markdown/code-lines'
import { endingOf } from '@/components/markdown/highlight/names'
import { Button, IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { saveFile } from '@/lib/browser/save-file'
import { plural, t } from '@/lib/i18n/t'

const CodePreview = dynamic(() => import('@/components/markdown/code-preview').then((module) => module.CodePreview), {
  ssr: false,
})
const Diagram = dynamic(() => import('@/components/markdown/diagram').then((module) => module.Diagram), { ssr: false })

/** A page runs only when it is asked for; a diagram is drawn at once. */
const PREVIEWED = /^(?:html|svg)$/i
const DRAWN = /^(?:mermaid|mmd)$/i
/** Code that may be a JSON-RPC call: what opens it in the playground is fetched only then. */
const CALL_LIKE = /"method"\s*:\s*"[a-z]/i

/** The block around is still being written: code in it stays plain, and diagrams wait. */
export const OpenBlock = createContext(false)

export function CodeBlock({ code, language }: { code: string; language: string | undefined }) {
  const [isWrapped, setIsWrapped] = useState(false)
  const isOpen = use(OpenBlock)
  const frame = useRef<HTMLDivElement>(null)
  const fold = useFold(code, frame)
  const isDrawn = DRAWN.test(language ?? '')
  const isPreviewed = PREVIEWED.test(language ?? '')
  const [isShown, setIsShown] = useState(isDrawn)
  const showsImage = isShown && !isOpen && (isDrawn || isPreviewed)
  return (
    <div ref={frame} className="code-block rounded-card border border-line bg-sunken">
      <div className="sticky top-0 z-1 flex items-center rounded-t-card border-b border-line bg-sunken ps-4 pe-1">
        <bdi className="min-w-0 flex-1 truncate text-12 text-ink-3">{language ?? t('text')}</bdi>
        {!isOpen && (isDrawn || isPreviewed) && (
          <Button kind="plain" aria-pressed={isShown} onClick={() => setIsShown(!isShown)} className="px-2 text-12">
            {showsImage ? t('Source') : isDrawn ? t('Diagram') : t('Preview')}
          </Button>
        )}
        {CALL_LIKE.test(code) && <Slot part="OpenSnippet" code={code} />}
        <IconButton
          label={t('Wrap lines')}
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
          className="aria-pressed:text-accent"
        >
          <WrapText aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('Download code')}
          onClick={() => saveFile(`code.${endingOf(language)}`, new Blob([code], { type: 'text/plain' }))}
        >
          <Download aria-hidden="true" />
        </IconButton>
        <CopyButton text={code} label={t('Copy code')} />
      </div>
      {showsImage && isPreviewed && <CodePreview source={code} isSvg={/svg/i.test(language ?? '')} />}
      {showsImage && isDrawn && <Diagram source={code} />}
      {!showsImage && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
          tabIndex={0}
          dir="ltr"
          className={`thin-scroll overflow-x-auto px-4 py-3 font-mono text-13 leading-5 ${isWrapped ? 'wrap-anywhere whitespace-pre-wrap' : ''}`}
        >
          <CodeLines {...{ code, language, isOpen, fold }} />
        </pre>
      )}
      {!showsImage && fold.count !== undefined && (
        <button
          type="button"
          aria-expanded={!fold.isFolded}
          onClick={() => {
            fold.toggle()
            // What is folded away was above the button: once it is gone, its beginning is shown instead.
            if (!fold.isFolded) requestAnimationFrame(() => frame.current?.scrollIntoView({ block: 'nearest' }))
          }}
          className="code-more min-h-9 w-full rounded-b-card border-t border-line px-4 text-start text-13 text-ink-2 outline-offset-[-2px] hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          {fold.isFolded
            ? plural(fold.count, { one: 'Show all {count} lines', other: 'Show all {count} lines' })
            : t('Show less')}
        </button>
      )}
    </div>
  )
}
