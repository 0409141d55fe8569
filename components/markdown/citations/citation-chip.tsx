'use client'

import dynamic from 'next/dynamic'
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react'
import { sourceOf } from '@/components/markdown/citations/sources'
import type { Citation } from '@/lib/contract/chat.schema'
import { t } from '@/lib/i18n/t'

const SourceCard = dynamic(
  () => import('@/components/markdown/citations/sources-panel').then((module) => module.SourceCard),
  { ssr: false },
)
const SourcesPanel = dynamic(
  () => import('@/components/markdown/citations/sources-panel').then((module) => module.SourcesPanel),
  { ssr: false },
)

type Cited = { citations: Citation[]; isStreaming: boolean; open: (index: number) => void }

const CitedContext = createContext<Cited>({ citations: [], isStreaming: false, open: () => undefined })

type CitedByProps = {
  citations: Citation[] | undefined
  isStreaming: boolean
  used: () => number[]
  children: ReactNode
}

const NONE: Citation[] = []

export function CitedBy({ citations = NONE, isStreaming, used, children }: CitedByProps) {
  const [opened, setOpened] = useState<number>()
  const value = useMemo(() => ({ citations, isStreaming, open: setOpened }), [citations, isStreaming])
  return (
    <CitedContext value={value}>
      {children}
      {opened !== undefined && (
        <SourcesPanel citations={citations} used={used()} first={opened} onClose={() => setOpened(undefined)} />
      )}
    </CitedContext>
  )
}

const OPEN_MS = 150
const CLOSE_MS = 200

export function CitationChip({ index }: { index: number }) {
  const { citations, isStreaming, open } = use(CitedContext)
  const chip = useRef<HTMLButtonElement>(null)
  const isReturned = useRef(false)
  const [isShown, show] = useDelayed()
  const citation = citations[index]
  const source = useMemo(() => citation && sourceOf(citation, index), [citation, index])
  // The list may come after the words; a number that stands for nothing at the end was never meant.
  if (!source) return isStreaming ? <span className="citation citation-muted">{index + 1}</span> : null
  return (
    <>
      <button
        ref={chip}
        type="button"
        aria-label={
          source.host
            ? t('Source {number}: {title}, {host}', { number: index + 1, title: source.title, host: source.host })
            : t('Source {number}: {title}', { number: index + 1, title: source.title })
        }
        className="citation"
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && show(true, OPEN_MS)}
        onPointerLeave={() => show(false, CLOSE_MS)}
        onFocus={({ target }) => {
          // The panel that it opened gives the focus back: what was closed is not to come again as a card.
          if (!isReturned.current && target.matches(':focus-visible')) show(true, 0)
          isReturned.current = false
        }}
        onBlur={() => show(false, CLOSE_MS)}
        onKeyDown={({ key }) => key === 'Escape' && show(false, 0)}
        onClick={() => {
          show(false, 0)
          isReturned.current = true
          open(index)
        }}
      >
        {index + 1}
      </button>
      {isShown && (
        <SourceCard
          source={source}
          anchor={chip}
          onEnter={() => show(true, 0)}
          onLeave={() => show(false, CLOSE_MS)}
          onClose={() => show(false, 0)}
        />
      )}
    </>
  )
}

function useDelayed(): [isShown: boolean, show: (isShown: boolean, afterMs: number) => void] {
  const [isShown, setIsShown] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const show = (next: boolean, afterMs: number) => {
    clearTimeout(timer.current)
    if (afterMs === 0) setIsShown(next)
    else timer.current = setTimeout(() => setIsShown(next), afterMs)
  }
  return [isShown, show]
}
