'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Bookmark, Trash2, X } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { formatCallCost, networkName } from '@/components/rpc/networks'
import { SearchField } from '@/components/rpc/notices'
import { nameFor, openRequest, showRequestsTab } from '@/components/rpc/request-draft'
import { showPastRun } from '@/components/rpc/run'
import {
  addSaved,
  deleteRuns,
  listRuns,
  openRun,
  type RpcRun,
  type RunOutcome,
  restoreRuns,
  searchRuns,
} from '@/components/rpc/store'
import { IconButton } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { periodOf } from '@/lib/browser/format/day'
import { formatLatency } from '@/lib/browser/format/numbers'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { networkOf } from '@/lib/contract/rpc-networks'
import { formatDate, msg, plural, t } from '@/lib/i18n/t'

export function HistoryList() {
  const runs = useLiveQuery(() => listRuns().catch(() => null))
  const [search, setSearch] = useState('')
  const terms = useDeferredValue(search)
  const periods = useMemo(() => {
    const now = Date.now()
    return [...Map.groupBy(searchRuns(runs ?? [], terms), ({ at }) => periodOf(at, now))]
  }, [runs, terms])
  if (runs === undefined) return null
  if (runs === null)
    return (
      <ListMessage text={t('Your browser blocks storage, so no history is saved. Allow storage in site settings.')} />
    )
  if (runs.length === 0) return <ListMessage text={t('Your calls appear here. They stay on this device.')} />
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b border-line ps-4 pe-2">
        <SearchField label={t('Search history')} value={search} onChange={setSearch} className="text-13" />
        <IconButton label={t('Clear history')} onClick={() => void removeRuns()}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      </div>
      <section
        aria-label={t('Runs')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll min-h-0 flex-1 overflow-y-auto px-2 pb-3 outline-offset-[-2px]"
      >
        {periods.map(([period, some]) => (
          <section key={period} aria-label={period}>
            <h3 className="px-2 pt-2.5 pb-1 text-12 font-medium text-ink-3">{period}</h3>
            <ul>
              {some.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
          </section>
        ))}
        {periods.length === 0 && <p className="px-2 pt-4 text-14 text-ink-3">{t('No results.')}</p>}
      </section>
    </div>
  )
}

const RunRow = memo(function RunRow({ run }: { run: RpcRun }) {
  const [method] = run.methods
  const more = run.methods.length - 1
  const at = new Date(run.at)
  const clock = formatDate(at, { hour: '2-digit', minute: '2-digit' })
  return (
    <li className="group relative flex items-center rounded-control hover:bg-hover focus-within:bg-hover">
      <button
        type="button"
        onClick={() => void openPastRun(run.id)}
        className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-control px-2 py-1.5 text-start pointer-coarse:py-2.5 pointer-coarse:pe-1"
      >
        <span className="truncate font-mono text-13">
          <bdi dir="ltr">{method}</bdi>
          {more > 0 && (
            <span className="text-ink-3"> + {plural(more, { one: '{count} more', other: '{count} more' })}</span>
          )}
        </span>
        <span className="text-end font-mono text-12 text-ink-3 tabular-nums">{priceOf(run)}</span>
        <span className="truncate text-12 text-ink-3">{networkName(run.network)}</span>
        <span className="text-end text-12 text-ink-3 tabular-nums">
          <Outcome outcome={run.outcome} status={run.status} /> · <bdi>{formatLatency(run.ms)}</bdi> ·{' '}
          <time
            dir="auto"
            dateTime={at.toISOString()}
            title={formatDate(at, { dateStyle: 'medium', timeStyle: 'medium' })}
          >
            {clock}
          </time>
        </span>
      </button>
      <span className="flex shrink-0 rounded-control opacity-0 group-hover:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100 pointer-fine:absolute pointer-fine:end-0 pointer-fine:bg-hover">
        <IconButton
          label={t('Save {method} from {time}', { method: method ?? '', time: clock })}
          onClick={() => void saveRun(run.id)}
        >
          <Bookmark aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('Delete {method} from {time}', { method: method ?? '', time: clock })}
          onClick={() => void removeRuns(run.id)}
        >
          <X aria-hidden="true" />
        </IconButton>
      </span>
    </li>
  )
})

function priceOf({ credits, costUsd }: RpcRun): string {
  if (credits === undefined) return t('no charge')
  return `${t('{credits} cr', { credits })}${costUsd === undefined ? '' : ` ${formatCallCost(costUsd)}`}`
}

const OUTCOME: Record<RunOutcome, [word: string, colour: string]> = {
  result: [msg('result'), 'text-ok'],
  error: [msg('error'), 'text-danger'],
  mixed: [msg('partial errors'), 'text-danger'],
  refused: [msg('refused'), 'text-danger'],
  failed: [msg('no response'), 'text-danger'],
}

function Outcome({ outcome, status }: Pick<RpcRun, 'outcome' | 'status'>) {
  const [word, colour] = OUTCOME[outcome]
  return (
    <span className={colour}>
      {t(word)}
      {outcome === 'refused' && ` ${status}`}
    </span>
  )
}

async function openPastRun(id: string): Promise<void> {
  const stored = await openRun(id)
  const network = stored && networkOf(stored.run.network)
  if (!network) return
  const { run, calls, answer } = stored
  if (calls.length === 0) return showToast({ text: t('This request is too large to save.') })
  const isLost = !answer && run.status !== 0
  openRequest(
    network,
    calls,
    run.isBatch,
    isLost ? t('The response was too large to save. Run the call again to see it.') : undefined,
  )
  showPastRun({ network, calls, isBatch: run.isBatch }, answer)
}

async function saveRun(id: string): Promise<void> {
  const stored = await openRun(id)
  if (!stored || stored.calls.length === 0) return showToast({ text: t('This request is too large to save.') })
  const { run, calls } = stored
  const added = await addSaved([
    { name: nameFor(calls), folder: '', network: run.network, calls, isBatch: run.isBatch },
  ])
  if (added === 0) return showToast({ text: t('No space for more saved requests. Delete some first.') })
  showToast({ text: t('Saved on this device'), action: { label: t('Show'), run: () => showRequestsTab('saved') } })
}

async function removeRuns(id?: string): Promise<void> {
  const removed = await deleteRuns(id === undefined ? undefined : [id])
  const text = id === undefined ? t('History cleared') : t('Run deleted')
  const action = { label: t('Undo'), run: () => void restoreRuns(removed) }
  showToast({ text, lastsMs: UNDO_MS, action })
}

export const ListMessage = ({ text }: { text: string }) => <p className="px-4 pt-5 text-14 text-ink-3">{text}</p>
