'use client'

import { memo } from 'react'
import type { NetworkState } from '@/lib/contract/rpc.schema'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { formatNumber, msg, t } from '@/lib/i18n/t'

type NetworkRowProps = {
  network: RpcNetwork
  /** Nothing while it is not known. */
  state: NetworkState | undefined
  /** Some networks are local and others are not, so that each has to say. */
  isMarkedLocal: boolean
  isLoading: boolean
  isChosen: boolean
  /** It is the row that Tab comes to. */
  isEntry: boolean
  onPick: (network: RpcNetwork) => void
}

/** One network: how it does, how high it is, how fast its nodes answer. */
export const NetworkRow = memo(function NetworkRow({
  network,
  state,
  isMarkedLocal,
  isLoading,
  isChosen,
  isEntry,
  onPick,
}: NetworkRowProps) {
  const why = state && state.state !== 'up' ? state.reason : null
  return (
    <button
      type="button"
      data-network={network.slug}
      tabIndex={isEntry ? 0 : -1}
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
        {isMarkedLocal && state?.isLocal && (
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
          {Math.round(state.latencyMs)} ms
        </span>
      )}
    </>
  )
}

const STATE_WORD: Record<NetworkState['state'], string> = {
  up: msg('up'),
  slow: msg('slow'),
  down: msg('down'),
  unknown: msg('status unknown'),
  unconfigured: msg('not connected'),
}

type StateDotProps = { state: NetworkState['state']; isLoading?: boolean }

/** A state by colour and by shape, and as a word for whoever sees neither. */
export function StateDot({ state, isLoading = false }: StateDotProps) {
  if (isLoading) return <span aria-hidden="true" className="skeleton size-2 justify-self-center rounded-chip" />
  return (
    <>
      <svg viewBox="0 0 8 8" aria-hidden="true" className={`size-2 justify-self-center ${COLOUR[state]}`}>
        {state === 'up' && <circle cx="4" cy="4" r="4" fill="currentColor" />}
        {state === 'slow' && (
          <path d="M4 0a4 4 0 0 1 0 8Zm0 1a3 3 0 0 0 0 6" fill="currentColor" stroke="currentColor" />
        )}
        {state === 'down' && <path d="M1 1l6 6M7 1l-6 6" stroke="currentColor" strokeWidth="2" />}
        {state === 'unknown' && <circle cx="4" cy="4" r="3.25" fill="none" stroke="currentColor" strokeWidth="1.5" />}
        {state === 'unconfigured' && <path d="M0 4h8" stroke="currentColor" strokeWidth="2" />}
      </svg>
      <span className="sr-only">{`${t(STATE_WORD[state])}: `}</span>
    </>
  )
}

const COLOUR: Record<NetworkState['state'], string> = {
  up: 'text-ok',
  slow: 'text-ok',
  down: 'text-danger',
  unknown: 'text-ink-3',
  unconfigured: 'text-ink-3',
}
