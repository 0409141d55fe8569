'use client'

import { ArrowDown, ArrowUp, ChevronDown, Copy, SquareArrowOutUpRight } from 'lucide-react'
import Link from 'next/link'
import { Fragment, useState } from 'react'
import { linkOf } from '@/components/rpc/link'
import type { MatrixCall, MatrixState } from '@/components/rpc/matrix/matrix-run'
import {
  type Column,
  csvOf,
  fastestOf,
  type MatrixRow,
  resultOf,
  type Sorting,
  totalsOf,
  tsvOf,
} from '@/components/rpc/matrix/rows'
import { formatCallCost, formatCredits, fullName } from '@/components/rpc/networks'
import { Button, IconButton } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { useNarrow } from '@/components/ui/use-narrow'
import { formatMilliseconds } from '@/lib/browser/format/numbers'
import { saveFile } from '@/lib/browser/save-file'
import type { MatrixLine, RpcSlug } from '@/lib/contract/rpc-networks'
import { formatNumber, msg, plural, t } from '@/lib/i18n/t'

type MatrixResultsProps = { state: MatrixState; onSort: (sorting: Sorting) => void }

export function MatrixResults({ state, onSort }: MatrixResultsProps) {
  const isNarrow = useNarrow()
  const [openSlug, setOpenSlug] = useState<RpcSlug>()
  const { phase, call, sorting } = state
  if (state.rows.length === 0) {
    return (
      <p className="mt-8 rounded-card border border-dashed border-line px-4 py-10 text-center text-14 text-ink-3">
        {phase === 'authorizing' ? t('One moment…') : t('Results appear here as they arrive.')}
      </p>
    )
  }
  const fastest = phase === 'ended' ? fastestOf(state.rows) : undefined
  const rows = state.rows.map((row): RowProps => {
    const { slug } = row.network
    const isOpen = slug === openSlug
    return { ...row, call, isOpen, isFastest: slug === fastest, onToggle: () => setOpenSlug(isOpen ? undefined : slug) }
  })
  const Rows = isNarrow ? MatrixCards : MatrixTable
  return (
    <section aria-label={t('Responses')} aria-busy={phase === 'running'} className="mt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Totals state={state} />
        <div className="flex gap-2">
          <Button onClick={() => void copyTable(state)}>{t('Copy')}</Button>
          <Button onClick={() => download(state)}>CSV</Button>
        </div>
      </div>
      <Rows rows={rows} sorting={sorting} onSort={onSort} />
    </section>
  )
}

function Totals({ state }: { state: MatrixState }) {
  const { asked, answered, results, faults, credits, costUsd } = totalsOf(state.rows)
  const parts = [
    t('{answered} of {asked} responded', { answered, asked }),
    plural(results, { one: '{count} result', other: '{count} results' }),
    ...(faults > 0 ? [plural(faults, { one: '{count} error', other: '{count} errors' })] : []),
    formatCredits(credits),
    formatCallCost(costUsd),
  ]
  return (
    <p className="font-mono text-13 text-ink-2 tabular-nums">
      <span className="font-medium text-ink">{state.call?.method}</span>
      {parts.map((part) => ` · ${part}`)}
    </p>
  )
}

const isCopied = (text: string): Promise<boolean> =>
  navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )

async function copyTable({ rows }: MatrixState): Promise<void> {
  showToast({
    text: (await isCopied(tsvOf(rows)))
      ? plural(rows.length, {
          one: 'Copied {count} row. Paste it as a table.',
          other: 'Copied {count} rows. Paste them as a table.',
        })
      : t('Your browser blocked copying. Download the CSV instead.'),
  })
}

const download = ({ rows, call }: MatrixState): void =>
  saveFile(`${call?.method ?? 'matrix'}.csv`, new Blob([csvOf(rows)], { type: 'text/csv;charset=utf-8' }))

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

type RowProps = MatrixRow & {
  call: MatrixCall | undefined
  isFastest: boolean
  isOpen: boolean
  onToggle: () => void
}

type RowsProps = { rows: RowProps[]; sorting: Sorting | undefined; onSort: (sorting: Sorting) => void }

const MatrixTable = ({ rows, sorting, onSort }: RowsProps) => (
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
            <HeadCell key={head.name} {...head} sorting={sorting} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Fragment key={row.network.slug}>
            <Row {...row} />
            {row.isOpen && row.line && (
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

function HeadCell({ name, column, width, isNumber, sorting, onSort }: Head & Omit<RowsProps, 'rows'>) {
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

function Row(row: RowProps) {
  const { network, line, shown, isFastest } = row
  const number = 'px-3 text-end font-mono tabular-nums'
  // What went wrong is a sentence, and there is nothing to decode.
  const isDecoded = shown?.isFault !== true
  return (
    <tr className="h-12 border-t border-line">
      <th scope="row" className="truncate px-3 text-start font-medium">
        {fullName(network)}
      </th>
      <td colSpan={isDecoded ? 1 : 2} className="px-3">
        <Result {...row} />
      </td>
      {isDecoded && (
        <td dir="auto" className="truncate px-3 font-mono" title={shown?.decoded}>
          {shown?.decoded}
        </td>
      )}
      <td className={number}>{line?.height != null && formatNumber(line.height)}</td>
      <td className={`${number} ${isFastest ? 'text-ok' : ''}`}>
        {line && formatMilliseconds(line.ms)}
        {isFastest && <span className="sr-only">{t(', fastest')}</span>}
      </td>
      <td className={number}>{line?.credits}</td>
      <td className="px-1">
        <RowActions {...row} />
      </td>
    </tr>
  )
}

function Result({ state, shown }: MatrixRow) {
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

function MatrixCards({ rows, sorting: chosen, onSort }: RowsProps) {
  const sorting = chosen ?? { column: 'network', isDescending: false }
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
            {HEADS.map(
              ({ name, column }) =>
                column && (
                  <option key={column} value={column}>
                    {t(name)}
                  </option>
                ),
            )}
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
        {rows.map((row) => (
          <Card key={row.network.slug} {...row} />
        ))}
      </ul>
    </>
  )
}

function Card(row: RowProps) {
  const { network, line, shown, isFastest, isOpen } = row
  return (
    <li aria-label={fullName(network)} className="rounded-card border border-line bg-surface px-3 py-2">
      <div className="flex h-11 items-center justify-between gap-2">
        <p className="truncate text-14 font-medium">{fullName(network)}</p>
        <RowActions {...row} />
      </div>
      <div className="flex h-5 items-center">
        <div className="min-w-0 flex-1">
          <Result {...row} />
        </div>
      </div>
      <p dir="auto" className="h-5 truncate font-mono text-13 text-ink-2">
        {shown?.decoded}
      </p>
      <p className="mt-1 flex h-5 flex-wrap gap-x-3 overflow-hidden font-mono text-12 text-ink-3 tabular-nums">
        {line?.height != null && <span>#{formatNumber(line.height)}</span>}
        {line && <span className={isFastest ? 'text-ok' : ''}>{formatNumber(line.ms)} ms</span>}
        {line && <span>{formatCredits(line.credits)}</span>}
      </p>
      {isOpen && line && (
        <div className="mt-2">
          <RowDetails line={line} />
        </div>
      )}
    </li>
  )
}

const MAX_DETAIL_CHARS = 20_000

function RowActions({ network, line, call, isOpen, onToggle }: RowProps) {
  if (!line || !call) return null
  const name = fullName(network)
  const { href } = linkOf({ network, method: call.method, params: call.params })
  return (
    <div className="flex justify-end">
      <IconButton
        label={t('Full response from {network}', { network: name })}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <ChevronDown aria-hidden="true" className={isOpen ? 'rotate-180' : ''} />
      </IconButton>
      <IconButton label={t('Copy response from {network}', { network: name })} onClick={() => void copyResponse(line)}>
        <Copy aria-hidden="true" />
      </IconButton>
      <Link
        href={href}
        prefetch={false}
        aria-label={t('Open {network} in the playground', { network: name })}
        title={t('Open in the playground')}
        className="inline-flex size-9 items-center justify-center rounded-control text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <SquareArrowOutUpRight aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
      </Link>
    </div>
  )
}

function RowDetails({ line }: { line: MatrixLine }) {
  const text = JSON.stringify(line.reply ?? line.error ?? null, null, 2)
  const isCut = text.length > MAX_DETAIL_CHARS
  return (
    <>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="thin-scroll max-h-80 overflow-auto rounded-control bg-sunken p-3 font-mono text-12"
      >
        {isCut ? text.slice(0, MAX_DETAIL_CHARS) : text}
      </pre>
      {isCut && (
        <p className="mt-2 text-13 text-ink-3">
          {t('First {shown} of {count} characters. Open the playground to see all of them.', {
            shown: MAX_DETAIL_CHARS,
            count: text.length,
          })}
        </p>
      )}
    </>
  )
}

// Printed on demand: an answer may be megabytes.
async function copyResponse(line: MatrixLine): Promise<void> {
  const value = line.outcome === 'result' ? resultOf(line) : (line.reply ?? line.error)
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
  showToast({ text: (await isCopied(text)) ? t('Copied.') : t('Your browser blocked copying.') })
}
