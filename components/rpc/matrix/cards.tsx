'use client'

import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { RowActions, RowDetails } from '@/components/rpc/matrix/row-actions'
import { COLUMNS, type Column, fastestOf, type MatrixRow, type Sorting } from '@/components/rpc/matrix/rows'
import { Result } from '@/components/rpc/matrix/table'
import type { MatrixState } from '@/components/rpc/matrix/use-matrix'
import { fullName } from '@/components/rpc/overview'
import { creditsText } from '@/components/rpc/price'
import { IconButton } from '@/components/ui/button'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'
import { formatNumber, msg, t } from '@/lib/i18n/t'

const NAMES: Record<Column, string> = {
  network: msg('Network'),
  result: msg('Result'),
  height: msg('Height'),
  latency: msg('Latency'),
  credits: msg('Credits'),
}

type MatrixCardsProps = { state: MatrixState; onSort: (sorting: Sorting) => void }

/** The table for a phone: a card a network, as high when it waits as when it is answered. */
export function MatrixCards({ state, onSort }: MatrixCardsProps) {
  const [openSlug, setOpenSlug] = useState<RpcSlug>()
  const fastest = state.phase === 'ended' ? fastestOf(state.rows) : undefined
  const sorting = state.sorting ?? { column: 'network', isDescending: false }
  return (
    <>
      <div className="mb-3 flex items-center gap-2">
        <label className="flex flex-1 items-center gap-2 text-13 text-ink-2">
          {t('Sort by')}
          <select
            value={sorting.column}
            onChange={(event) => onSort({ column: event.target.value as Column, isDescending: false })}
            className="h-11 flex-1 rounded-control border border-control bg-surface px-2 text-16 text-ink"
          >
            {COLUMNS.map((column) => (
              <option key={column} value={column}>
                {t(NAMES[column])}
              </option>
            ))}
          </select>
        </label>
        <IconButton
          label={sorting.isDescending ? t('Sort ascending') : t('Sort descending')}
          onClick={() => onSort({ ...sorting, isDescending: !sorting.isDescending })}
        >
          {sorting.isDescending ? <ArrowDown aria-hidden="true" /> : <ArrowUp aria-hidden="true" />}
        </IconButton>
      </div>
      <ul className="space-y-2">
        {state.rows.map((row) => {
          const { slug } = row.network
          return (
            <Card
              key={slug}
              row={row}
              state={state}
              isFastest={slug === fastest}
              isOpen={slug === openSlug}
              onToggle={() => setOpenSlug(slug === openSlug ? undefined : slug)}
            />
          )
        })}
      </ul>
    </>
  )
}

type CardProps = { row: MatrixRow; state: MatrixState; isFastest: boolean; isOpen: boolean; onToggle: () => void }

function Card({ row, state, isFastest, isOpen, onToggle }: CardProps) {
  const { network, line, shown } = row
  return (
    <li aria-label={fullName(network)} className="rounded-card border border-line bg-surface px-3 py-2">
      <div className="flex h-11 items-center justify-between gap-2">
        <p className="truncate text-14 font-medium">{fullName(network)}</p>
        {line && state.call && (
          <RowActions network={network} line={line} call={state.call} isOpen={isOpen} onToggle={onToggle} />
        )}
      </div>
      <div className="flex h-5 items-center">
        <div className="min-w-0 flex-1">
          <Result row={row} />
        </div>
      </div>
      <p dir="auto" className="h-5 truncate font-mono text-13 text-ink-2">
        {shown?.decoded}
      </p>
      <p className="mt-1 flex h-5 flex-wrap gap-x-3 overflow-hidden font-mono text-12 text-ink-3 tabular-nums">
        {line?.height != null && <span>#{formatNumber(line.height)}</span>}
        {line && <span className={isFastest ? 'text-ok' : ''}>{formatNumber(line.ms)} ms</span>}
        {line && <span>{creditsText(line.credits)}</span>}
      </p>
      {isOpen && line && (
        <div className="mt-2">
          <RowDetails line={line} />
        </div>
      )}
    </li>
  )
}
