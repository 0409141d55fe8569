'use client'

import { Unplug } from 'lucide-react'
import { useState } from 'react'
import { type NetworkPick, networksFor, pickedNetworks } from '@/components/rpc/matrix-request'
import { fullName } from '@/components/rpc/overview'
import { useNarrow } from '@/components/ui/use-narrow'
import type { NetworkState } from '@/lib/contract/rpc.schema'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'
import { msg, t } from '@/lib/i18n/t'

type NetworkPicksProps = {
  method: string
  pick: NetworkPick
  onPick: (pick: NetworkPick) => void
  stateOf: ReadonlyMap<RpcSlug, NetworkState> | undefined
}

const SETS = [
  { pick: 'all', name: msg('All') },
  { pick: 'mainnets', name: msg('Mainnets') },
  { pick: 'testnets', name: msg('Testnets') },
] as const

/** Who is asked: all networks of the method's family, a half of them, or each by itself. */
export function NetworkPicks({ method, pick, onPick, stateOf }: NetworkPicksProps) {
  const networks = networksFor(method)
  const picked = new Set(pickedNetworks(pick, method))
  const isNarrow = useNarrow()
  const [isOpened, setIsOpened] = useState(false)
  const toggle = (network: RpcNetwork) => {
    const next = new Set(picked)
    if (!next.delete(network)) next.add(network)
    onPick(networks.filter((each) => next.has(each)).map(({ slug }) => slug))
  }
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-13 font-medium">{t('Networks')}</legend>
      <div className="flex flex-wrap items-center gap-2">
        {SETS.map(({ pick: set, name }) => (
          <button
            key={set}
            type="button"
            aria-pressed={isSet(set, picked, method)}
            onClick={() => onPick(set)}
            className="min-h-8 rounded-chip border border-line px-3 text-13 text-ink-2 hover:border-control aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink pointer-coarse:min-h-11"
          >
            {t(name)} <span className="font-mono text-12">{pickedNetworks(set, method).length}</span>
          </button>
        ))}
        {isNarrow && (
          <button
            type="button"
            aria-expanded={isOpened}
            onClick={() => setIsOpened(!isOpened)}
            className="min-h-8 px-1 text-13 text-accent underline underline-offset-4 pointer-coarse:min-h-11"
          >
            {isOpened ? t('Hide list') : t('Select individually')}
          </button>
        )}
      </div>
      {(!isNarrow || isOpened) && (
        <ul className="mt-3 grid grid-cols-2 gap-x-4 sm:grid-cols-3">
          {networks.map((network) => (
            <li key={network.slug}>
              <label className="flex min-h-8 items-center gap-2 rounded-control text-13 hover:text-accent pointer-coarse:min-h-11">
                <input
                  type="checkbox"
                  checked={picked.has(network)}
                  onChange={() => toggle(network)}
                  className="size-4 shrink-0"
                />
                <span className="truncate">{fullName(network)}</span>
                <NoNode state={stateOf?.get(network.slug)} />
              </label>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  )
}

/** Said only where asking will most likely come to nothing. */
function NoNode({ state }: { state: NetworkState | undefined }) {
  if (state?.state !== 'down' && state?.state !== 'unconfigured') return null
  const words = state.reason ?? (state.state === 'down' ? t('Network down.') : t('Not connected to this server.'))
  return (
    <span role="img" aria-label={words} title={words} className="shrink-0 text-danger">
      <Unplug aria-hidden="true" className="size-4" strokeWidth={1.5} />
    </span>
  )
}

function isSet(set: 'all' | 'mainnets' | 'testnets', picked: ReadonlySet<RpcNetwork>, method: string): boolean {
  const networks = pickedNetworks(set, method)
  return networks.length === picked.size && networks.every((network) => picked.has(network))
}
