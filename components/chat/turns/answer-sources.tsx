'use client'

import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { Monogram, sortedSources, sourcesText, usedCitations } from '@/components/markdown/citations/sources'
import type { Citation } from '@/lib/contract/chat.schema'
import { t } from '@/lib/i18n/t'

const SourcesPanel = dynamic(
  () => import('@/components/markdown/citations/sources-panel').then((module) => module.SourcesPanel),
  { ssr: false },
)

const MAX_CHIPS = 3
const CHIP =
  'inline-flex min-h-8 max-w-48 items-center gap-1.5 rounded-chip border border-line bg-surface px-2.5 text-13 ' +
  'text-ink-2 transition-colors hover:border-control hover:text-ink pointer-coarse:min-h-11'

type AnswerSourcesProps = { text: string; citations: Citation[] }

export function AnswerSources({ text, citations }: AnswerSourcesProps) {
  const used = useMemo(() => usedCitations(text), [text])
  const [opened, setOpened] = useState<number>()
  const sources = useMemo(() => sortedSources(citations, used), [citations, used])
  const [first] = sources
  if (!first) return null
  return (
    <section aria-label={t('Sources')} className="mt-3 flex flex-wrap items-center gap-2">
      {sources.slice(0, MAX_CHIPS).map((source) => (
        <button key={source.index} type="button" onClick={() => setOpened(source.index)} className={CHIP}>
          <span className="sr-only">
            {t('Source {number}: {title},', { number: source.index + 1, title: source.title })}
          </span>
          <Monogram source={source} />
          <bdi className="truncate">{source.host || source.title}</bdi>
        </button>
      ))}
      <button type="button" onClick={() => setOpened(first.index)} className={CHIP}>
        {sourcesText(sources.length)}
      </button>
      {opened !== undefined && (
        <SourcesPanel citations={citations} used={used} first={opened} onClose={() => setOpened(undefined)} />
      )}
    </section>
  )
}
