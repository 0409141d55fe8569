'use client'

import { ArrowDown, ArrowUp } from 'lucide-react'
import { Fragment, useState } from 'react'
import { RowActions, RowDetails } from '@/components/rpc/matrix/row-actions'
import { type Column, fastestOf, type MatrixRow, type Sorting } from '@/components/rpc/matrix/rows'
import type { MatrixState } from '@/components/rpc/matrix/use-matrix'
import { fullName } from '@/components/rpc/overview'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'
import { formatNumber, msg, t } from '@/lib/i18n/t'

type Head = { name: string; column?: Column; width: string; isNumber?: boolean }

const ACTIONS = msg('Actions')

const HEADS: Head[] = [
  { name: msg('Network'), column: 'network', width: 'w-42' },
  { name: msg('Result'), column: 'result', width: '' },
  { name: msg('Decoded'), width: 'w-[24%]' },
  { name: msg('Height'), column: 'height', width: 'w-26', isNumber: true },
  { name: msg('Latency'), column: 'latency', width: 'w-24', isNumber: true },
  { name: msg('Credits'), column: 'credits', width: 'w-20', isNumber: true },
  { name: ACTIONS, width: 'w-29' },
]

type MatrixTableProps = { state: MatrixState; onSort: (sorting: Sorting) => void }

/** Every row is as high when it waits as when it is answered. */
export function MatrixTable({ state, onSort }: MatrixTableProps) {
  const [openSlug, setOpenSlug] = useState<RpcSlug>()
  const fastest = state.phase === 'ended' ? fastestOf(state.rows) : undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={t('Response table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      className="thin-scroll overflow-x-auto rounded-card border border-line"
    >
      <table className="w-full min-w-220 table-fixed border-collapse text-13">
        <thead className="bg-sunken text-ink-2">
          <tr>
            {HEADS.map((head) => (
              <HeadCell key={head.name} head={head} sorting={state.sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {state.rows.map((row) => (
            <Fragment key={row.network.slug}>
              <Row
                row={row}
                state={state}
                isFastest={row.network.slug === fastest}
                isOpen={row.network.slug === openSlug}
                onToggle={() => setOpenSlug(row.network.slug === openSlug ? undefined : row.network.slug)}
              />
              {row.network.slug === openSlug && row.line && (
                <tr className="border-t border-line">
                  <td colSpan={HEADS.length} className="p-3">
                    <RowDetails line={row.line} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function HeadCell({
  head,
  sorting,
  onSort,
}: { head: Head } & Pick<MatrixTableProps, 'onSort'> & Pick<MatrixState, 'sorting'>) {
  const { name, column, width, isNumber } = head
  const place = `${width} h-10 border-line px-3 font-medium ${isNumber ? 'text-end' : 'text-start'}`
  if (!column) {
    return (
      <th scope="col" className={place}>
        {name === ACTIONS ? <span className="sr-only">{t(name)}</span> : t(name)}
      </th>
    )
  }
  const isSorted = sorting?.column === column
  const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'
  const Arrow = isSorted && sorting.isDescending ? ArrowDown : ArrowUp
  return (
    <th scope="col" aria-sort={order} className={place}>
      <button
        type="button"
        onClick={() => onSort({ column, isDescending: isSorted && !sorting.isDescending })}
        className={`group inline-flex min-h-9 items-center gap-1 font-medium hover:text-ink ${isNumber ? 'flex-row-reverse' : ''}`}
      >
        {t(name)}
        <Arrow
          aria-hidden="true"
          className={`size-3.5 ${isSorted ? 'text-accent' : 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60'}`}
          strokeWidth={2}
        />
      </button>
    </th>
  )
}

type RowProps = { row: MatrixRow; state: MatrixState; isFastest: boolean; isOpen: boolean; onToggle: () => void }

function Row({ row, state, isFastest, isOpen, onToggle }: RowProps) {
  const { network, line, shown } = row
  const number = 'px-3 text-end font-mono tabular-nums'
  // What went wrong is a sentence, and there is nothing to decode.
  const isDecoded = shown?.isFault !== true
  return (
    <tr className="h-12 border-t border-line">
      <th scope="row" className="truncate px-3 text-start font-medium">
        {fullName(network)}
      </th>
      <td colSpan={isDecoded ? 1 : 2} className="px-3">
        <Result row={row} />
      </td>
      {isDecoded && (
        <td dir="auto" className="truncate px-3 font-mono" title={shown?.decoded}>
          {shown?.decoded}
        </td>
      )}
      <td className={number}>{line?.height != null && formatNumber(line.height)}</td>
      <td className={`${number} ${isFastest ? 'text-ok' : ''}`}>
        {line && `${formatNumber(line.ms)} ms`}
        {isFastest && <span className="sr-only">{t(', fastest')}</span>}
      </td>
      <td className={number}>{line?.credits}</td>
      <td className="px-1">
        {line && state.call && (
          <RowActions network={network} line={line} call={state.call} isOpen={isOpen} onToggle={onToggle} />
        )}
      </td>
    </tr>
  )
}

/** One line, whatever the answer; its place is held while it is awaited. */
export function Result({ row: { state, shown } }: { row: MatrixRow }) {
  if (shown) {
    return (
      <span
        dir="auto"
        title={shown.text}
        className={`block truncate font-mono text-13 ${shown.isFault ? 'text-danger' : ''}`}
      >
        {shown.text}
      </span>
    )
  }
  if (state === 'waiting') return <span aria-hidden="true" className="skeleton block h-3.5 w-2/5" />
  return <span className="text-ink-3">{state === 'cancelled' ? t('Cancelled') : t('No response')}</span>
}
