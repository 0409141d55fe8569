'use client'

import { type ReactNode, useId } from 'react'
import { Button } from '@/components/ui/button'
import { formatDate, t } from '@/lib/i18n/t'

type SectionProps = { title: string; aside?: ReactNode; children: ReactNode }

export function Section({ title, aside, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-10">
      <div className="mb-3 flex min-h-9 items-center justify-between gap-4 border-b border-line">
        <h2 id={id} className="font-serif text-18 font-[460]">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

type RetryLineProps = { text: string; onRetry: () => void }

export function RetryLine({ text, onRetry }: RetryLineProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-14">
      <p className="text-ink-2">{text}</p>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  )
}

export const Nothing = ({ children }: { children: ReactNode }) => <p className="text-14 text-ink-3">{children}</p>

type LinesProps = { count: number; query: { isPaused: boolean } }

export function Lines({ count, query }: LinesProps) {
  if (query.isPaused) return <Nothing>{t('You’re offline. This section loads when you are back online.')}</Nothing>
  return (
    <div aria-hidden="true" className="space-y-5 py-1">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
        <div key={index} className={`skeleton h-4 ${index % 2 ? 'w-4/5' : 'w-full'}`} />
      ))}
    </div>
  )
}

export function When({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time
      dateTime={at}
      title={formatDate(date, { dateStyle: 'medium', timeStyle: 'medium' })}
      className="whitespace-nowrap"
    >
      {formatDate(date, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })}
    </time>
  )
}

export const Head = ({ children, isEnd = false }: { children: string; isEnd?: boolean }) => (
  <th scope="col" className={`pb-2 font-medium ${isEnd ? 'ps-3 text-end' : 'pe-3 text-start'}`}>
    {children}
  </th>
)
