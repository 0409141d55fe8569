'use client'

import { MatrixCards } from '@/components/rpc/matrix/cards'
import { csvOf, tsvOf } from '@/components/rpc/matrix/csv'
import { type Sorting, totalsOf } from '@/components/rpc/matrix/rows'
import { MatrixTable } from '@/components/rpc/matrix/table'
import type { MatrixState } from '@/components/rpc/matrix/use-matrix'
import { creditsText } from '@/components/rpc/price'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { useNarrow } from '@/components/ui/use-narrow'
import { formatExactMoney, moneyOf } from '@/lib/browser/format/cost'
import { plural, t } from '@/lib/i18n/t'

type MatrixResultsProps = { state: MatrixState; onSort: (sorting: Sorting) => void }

/** The answers: a table, or on a phone a card a network. */
export function MatrixResults({ state, onSort }: MatrixResultsProps) {
  const isNarrow = useNarrow()
  const { rows, phase } = state
  if (rows.length === 0) {
    return (
      <p className="mt-8 rounded-card border border-dashed border-line px-4 py-10 text-center text-14 text-ink-3">
        {phase === 'asking' ? t('One moment…') : t('Results appear here as they arrive.')}
      </p>
    )
  }
  const Rows = isNarrow ? MatrixCards : MatrixTable
  return (
    <section aria-label={t('Responses')} aria-busy={phase === 'running'} className="mt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Totals state={state} />
        <div className="flex gap-2">
          <Button onClick={() => void copy(state)}>{t('Copy')}</Button>
          <Button onClick={() => download(state)}>CSV</Button>
        </div>
      </div>
      <Rows state={state} onSort={onSort} />
    </section>
  )
}

function Totals({ state }: { state: MatrixState }) {
  const { asked, answered, results, faults, credits, costUsd } = totalsOf(state.rows)
  const parts = [
    t('{answered} of {asked} responded', { answered, asked }),
    plural(results, { one: '{count} result', other: '{count} results' }),
    ...(faults > 0 ? [plural(faults, { one: '{count} error', other: '{count} errors' })] : []),
    creditsText(credits),
    formatExactMoney(moneyOf(costUsd)),
  ]
  return (
    <p className="font-mono text-13 text-ink-2 tabular-nums">
      <span className="font-medium text-ink">{state.call?.method}</span>
      {parts.map((part) => ` · ${part}`)}
    </p>
  )
}

async function copy({ rows }: MatrixState): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(tsvOf(rows)).then(
    () => true,
    () => false,
  )
  showToast({
    text: isCopied
      ? plural(rows.length, {
          one: 'Copied {count} row. Paste it as a table.',
          other: 'Copied {count} rows. Paste them as a table.',
        })
      : t('Your browser blocked copying. Download the CSV instead.'),
  })
}

function download({ rows, call }: MatrixState): void {
  const url = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${call?.method ?? 'matrix'}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
