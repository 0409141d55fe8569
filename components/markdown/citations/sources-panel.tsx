'use client'

import { Dialog, Popover } from 'radix-ui'
import type { RefObject } from 'react'
import { Monogram, type Source, sortedSources } from '@/components/markdown/citations/sources'
import { CloseButton, Modal } from '@/components/ui/modal'
import type { Citation } from '@/lib/contract/chat.schema'
import { t } from '@/lib/i18n/t'

type SourcesPanelProps = { citations: Citation[]; used: number[]; first: number; onClose: () => void }

export function SourcesPanel({ citations, used, first, onClose }: SourcesPanelProps) {
  const sources = sortedSources(citations, used)
  const cited = sources.filter(({ index }) => used.includes(index))
  const others = sources.filter(({ index }) => !used.includes(index))
  return (
    <Modal
      onClose={onClose}
      className="inset-y-0 end-0 z-40 flex w-[min(26rem,100vw)] flex-col border-s border-line bg-paper pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] shadow-over"
    >
      <div className="flex items-center justify-between ps-6 pe-3 pt-3">
        <Dialog.Title className="font-serif text-24 font-[440]">{t('Sources')}</Dialog.Title>
        <CloseButton />
      </div>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto px-6 pb-6">
        <Part title={t('Used in the answer')} sources={cited} first={first} />
        <Part title={cited.length > 0 ? t('Also found') : t('Found')} sources={others} first={first} />
        <p className="mt-6 text-12 text-ink-3">{t('Nothing loads from these sites until you open one.')}</p>
      </div>
    </Modal>
  )
}

function Part({ title, sources, first }: { title: string; sources: Source[]; first: number }) {
  if (sources.length === 0) return null
  return (
    <section className="mt-4">
      <h3 className="text-13 font-medium text-ink-3">{title}</h3>
      <ol className="mt-1">
        {sources.map((source) => (
          <li
            key={source.index}
            ref={(row) => {
              if (source.index === first) row?.scrollIntoView({ block: 'nearest' })
            }}
            aria-current={source.index === first || undefined}
            className="-mx-3 flex gap-3 rounded-card px-3 py-3 aria-[current]:bg-bubble"
          >
            <span className="w-5 shrink-0 text-end font-mono text-12 leading-5 text-ink-3">{source.index + 1}</span>
            <SourceText source={source} />
          </li>
        ))}
      </ol>
    </section>
  )
}

export function SourceText({ source }: { source: Source }) {
  const { title, host, href, date, snippet } = source
  return (
    <div className="min-w-0 text-13">
      <p className="flex items-center gap-2 text-12 text-ink-3">
        <Monogram source={source} />
        <bdi className="truncate">{host || t('No link')}</bdi>
        {date && <span className="shrink-0">{date}</span>}
      </p>
      <p className="mt-2 text-14 font-medium wrap-anywhere">
        {href ? (
          <a
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent underline decoration-1 underline-offset-3 hover:decoration-2"
          >
            <bdi>{title}</bdi>
          </a>
        ) : (
          <bdi>{title}</bdi>
        )}
      </p>
      {snippet && (
        <p className="mt-1.5 line-clamp-4 text-ink-2 wrap-anywhere">
          <bdi>{snippet}</bdi>
        </p>
      )}
    </div>
  )
}

type SourceCardProps = {
  source: Source
  anchor: RefObject<HTMLElement | null>
  onEnter: () => void
  onLeave: () => void
  onClose: () => void
}

export function SourceCard({ source, anchor, onEnter, onLeave, onClose }: SourceCardProps) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      {/* The chip is there as long as its card is. */}
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal>
        <Popover.Content
          side="top"
          sideOffset={6}
          collisionPadding={12}
          aria-label={t('Source {number}', { number: source.index + 1 })}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onPointerEnter={onEnter}
          onPointerLeave={onLeave}
          className="enter z-30 w-80 max-w-[calc(100vw-1.5rem)] rounded-card border border-line bg-surface p-4 shadow-over"
        >
          <SourceText source={source} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
