'use client'

import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, memo, useEffect, useId, useRef, useState } from 'react'
import { groupNetworks, localNetworks, type NetworkFilter, overviewQuery } from '@/components/rpc/networks'
import { LocalNotice, SearchField } from '@/components/rpc/notices'
import { Button } from '@/components/ui/button'
import { formatMilliseconds } from '@/lib/browser/format/numbers'
import type { NetworkState, RpcNetwork } from '@/lib/contract/rpc-networks'
import { formatNumber, msg, t } from '@/lib/i18n/t'

const FILTERS: readonly [NetworkFilter, string][] = [
  ['all', msg('All')],
  ['mainnet', msg('Mainnet')],
  ['testnet', msg('Testnet')],
]

type NetworkRailProps = { chosen: RpcNetwork; onPick: (network: RpcNetwork) => void }

export function NetworkRail({ chosen, onPick }: NetworkRailProps) {
  const [filter, setFilter] = useState<NetworkFilter>('all')
  const [search, setSearch] = useState('')
  const overview = useQuery(overviewQuery())
  const local = localNetworks(overview.data)
  const groups = groupNetworks(filter, search)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-network="${chosen.slug}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen.slug])
  const all = groups.flatMap(({ networks }) => networks)
  // One row takes the focus, the arrows do the rest.
  const entry = all.find(({ slug }) => slug === chosen.slug) ?? all[0]
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="shrink-0 space-y-2 px-3 pt-3 pb-2">
        <div className="flex items-center gap-2 rounded-control border border-line bg-surface px-2 focus-within:border-accent">
          <SearchField
            label={t('Search networks')}
            value={search}
            onChange={setSearch}
            className="text-14"
            onKeyDown={(event) => {
              const [first] = all
              if (event.key === 'Enter' && first && !event.nativeEvent.isComposing) onPick(first)
              if (event.key === 'ArrowDown') moveFocus(event, list.current, 0)
            }}
          />
        </div>
        <Filter chosen={filter} onPick={setFilter} />
      </div>
      <Notice overview={overview} />
      <LocalNotice className="mx-3 mb-1 shrink-0" />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the rows, which have the focus */}
      <div
        ref={list}
        onKeyDown={(event) => onListKey(event, list.current)}
        className="thin-scroll min-h-0 flex-1 overflow-y-auto px-2 pb-4"
      >
        {groups.map((group) => (
          <section key={group.name} aria-label={group.name} className="pt-3">
            <h3 className="flex items-baseline justify-between px-2 pb-1 text-12 font-medium text-ink-3">
              {group.name}
              <span aria-hidden="true" className="font-mono tabular-nums">
                {group.networks.length}
              </span>
            </h3>
            <ul>
              {group.networks.map((network) => (
                <li key={network.slug}>
                  <NetworkRow
                    network={network}
                    state={overview.data?.stateOf.get(network.slug)}
                    isMarkedLocal={local === 'some'}
                    isLoading={overview.isPending && !overview.isPaused}
                    isChosen={network.slug === chosen.slug}
                    isEntry={network.slug === entry?.slug}
                    onPick={onPick}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && (
          <div className="space-y-3 px-2 pt-6 text-14 text-ink-3">
            <p>{t('No results.')}</p>
            <Button
              onClick={() => {
                setSearch('')
                setFilter('all')
              }}
            >
              {t('Show all')}
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}

type FilterProps = { chosen: NetworkFilter; onPick: (filter: NetworkFilter) => void }

function Filter({ chosen, onPick }: FilterProps) {
  const name = useId()
  return (
    <fieldset className="grid grid-cols-3 rounded-control border border-line bg-sunken p-0.5 text-13">
      <legend className="sr-only">{t('Network type')}</legend>
      {FILTERS.map(([value, label]) => (
        <label
          key={value}
          className="flex min-h-8 cursor-pointer items-center justify-center rounded-[4px] text-ink-2 has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-one has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-10"
        >
          <input
            type="radio"
            name={name}
            checked={chosen === value}
            onChange={() => onPick(value)}
            className="sr-only"
          />
          {t(label)}
        </label>
      ))}
    </fieldset>
  )
}

type NoticeProps = { overview: { isError: boolean; isPaused: boolean; isFetching: boolean; refetch: () => unknown } }

function Notice({ overview }: NoticeProps) {
  if (overview.isPaused)
    return <p className="px-4 pb-2 text-13 text-ink-3">{t('You’re offline. Network status is unknown.')}</p>
  if (!overview.isError) return null
  return (
    <div className="flex items-center justify-between gap-2 px-4 pb-2 text-13 text-ink-2">
      <p>{t('Network status could not be loaded.')}</p>
      <Button disabled={overview.isFetching} onClick={() => void overview.refetch()}>
        {t('Try again')}
      </Button>
    </div>
  )
}

function onListKey(event: KeyboardEvent, list: HTMLElement | null): void {
  const rows = rowsOf(list)
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, j: at + 1, k: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  if (at !== -1 && to !== undefined && !event.metaKey && !event.ctrlKey && !event.altKey) moveFocus(event, list, to)
}

function moveFocus(event: KeyboardEvent, list: HTMLElement | null, to: number): void {
  event.preventDefault()
  rowsOf(list)[to]?.focus()
}

const rowsOf = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('button[data-network]') ?? []),
]

type NetworkRowProps = {
  network: RpcNetwork
  state: NetworkState | undefined
  isMarkedLocal: boolean
  isLoading: boolean
  isChosen: boolean
  // The row that Tab reaches.
  isEntry: boolean
  onPick: (network: RpcNetwork) => void
}

const NetworkRow = memo(function NetworkRow({ network, state, isLoading, isChosen, onPick, ...is }: NetworkRowProps) {
  const why = state && state.state !== 'up' ? state.reason : null
  return (
    <button
      type="button"
      data-network={network.slug}
      tabIndex={is.isEntry ? 0 : -1}
      aria-current={isChosen ? 'true' : undefined}
      title={state?.reason ?? undefined}
      onClick={() => onPick(network)}
      className={`grid w-full grid-cols-[0.75rem_minmax(0,1fr)_auto] items-center gap-x-2 rounded-control px-2 py-1.5 text-start pointer-coarse:min-h-11 ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover'}`}
    >
      <StateDot state={state?.state ?? 'unknown'} isLoading={isLoading} />
      <span className="flex min-w-0 items-baseline gap-1.5 text-14">
        <span translate="no" className="sr-only">
          {network.group}{' '}
        </span>
        <span translate="no" className="truncate">
          {network.name}
        </span>
        {is.isMarkedLocal && state?.isLocal && (
          <span className="shrink-0 text-12 text-ink-3">
            <span aria-hidden="true">{t('local')}</span>
            <span className="sr-only">{t('local test chain')}</span>
          </span>
        )}
      </span>
      <span className="flex min-h-5 items-center font-mono text-12 text-ink-3 tabular-nums">
        {isLoading ? <span aria-hidden="true" className="skeleton h-3 w-14" /> : <Figures state={state} />}
      </span>
      {why && <span className="col-start-2 col-end-4 line-clamp-2 text-12 text-ink-3">{why}</span>}
    </button>
  )
})

function Figures({ state }: { state: NetworkState | undefined }) {
  if (!state) return null
  return (
    <>
      {state.height !== null && (
        <span title={t('Block height')}>
          <span className="sr-only">{t('block')} </span>
          {formatNumber(state.height)}
        </span>
      )}
      {state.latencyMs !== null && (
        <span className="w-13 shrink-0 text-end">
          <span className="sr-only">{t(', latency')} </span>
          {formatMilliseconds(state.latencyMs)}
        </span>
      )}
    </>
  )
}

const STATES: Record<NetworkState['state'], { name: string; colour: string }> = {
  up: { name: msg('up'), colour: 'text-ok' },
  slow: { name: msg('slow'), colour: 'text-ok' },
  down: { name: msg('down'), colour: 'text-danger' },
  unknown: { name: msg('status unknown'), colour: 'text-ink-3' },
  unconfigured: { name: msg('not connected'), colour: 'text-ink-3' },
}

type StateDotProps = { state: NetworkState['state']; isLoading?: boolean }

/** A state by colour and by shape, and as a word for screen readers. */
export function StateDot({ state, isLoading = false }: StateDotProps) {
  if (isLoading) return <span aria-hidden="true" className="skeleton size-2 justify-self-center rounded-chip" />
  return (
    <>
      <svg viewBox="0 0 8 8" aria-hidden="true" className={`size-2 justify-self-center ${STATES[state].colour}`}>
        {state === 'up' && <circle cx="4" cy="4" r="4" fill="currentColor" />}
        {state === 'slow' && (
          <path d="M4 0a4 4 0 0 1 0 8Zm0 1a3 3 0 0 0 0 6" fill="currentColor" stroke="currentColor" />
        )}
        {state === 'down' && <path d="M1 1l6 6M7 1l-6 6" stroke="currentColor" strokeWidth="2" />}
        {state === 'unknown' && <circle cx="4" cy="4" r="3.25" fill="none" stroke="currentColor" strokeWidth="1.5" />}
        {state === 'unconfigured' && <path d="M0 4h8" stroke="currentColor" strokeWidth="2" />}
      </svg>
      <span className="sr-only">{`${t(STATES[state].name)}: `}</span>
    </>
  )
}
