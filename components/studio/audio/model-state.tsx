'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { t } from '@/lib/i18n/t'

type ModelStateProps<M> = {
  query: UseQueryResult<M[]>
  /** Where the service has no model for it. */
  none: string
  children: (models: M[]) => ReactNode
}

/** A form that is made from what models there are: while they are asked for, where they cannot be had, and without any. */
export function ModelState<M>({ query, none, children }: ModelStateProps<M>) {
  if (query.data && query.data.length > 0) return children(query.data)
  if (query.data) return <Words text={none} />
  if (query.isPaused) return <Words text={t('You’re offline. Models load when you are back online.')} />
  if (query.isError) {
    return (
      <Words text={t('The models could not be loaded.')}>
        <Button onClick={() => void query.refetch()}>{t('Try again')}</Button>
      </Words>
    )
  }
  return (
    <div aria-hidden="true" className="space-y-5">
      <div className="skeleton h-32 rounded-card" />
      <div className="skeleton h-10" />
      <div className="skeleton h-10 w-2/3" />
    </div>
  )
}

function Words({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div role="status" className="space-y-3 py-4 text-14 text-ink-2">
      <p>{text}</p>
      {children}
    </div>
  )
}
