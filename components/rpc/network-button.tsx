'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef, useState } from 'react'
import { StateDot } from '@/components/rpc/network-row'
import { fullName, overviewQuery } from '@/components/rpc/overview'
import { chooseNetwork } from '@/components/rpc/request-draft'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

const loadSheet = () => import('@/components/rpc/network-sheet').then((module) => module.NetworkSheet)
/** Fetched when it is first opened, or about to be; a page that is wide enough has the list beside it. */
const NetworkSheet = dynamic(loadSheet, { ssr: false })

const LOOK =
  'inline-flex min-h-9 shrink-0 items-center gap-2 rounded-control border px-3 text-14 pointer-coarse:min-h-11'

/** Which network is asked; opens the list where that is not on the page. */
export function NetworkButton({ network }: { network: RpcNetwork }) {
  const overview = useQuery(overviewQuery())
  const [sheet, setSheet] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const opener = useRef<HTMLButtonElement>(null)
  const state = overview.data?.stateOf.get(network.slug)?.state ?? 'unknown'
  const dot = <StateDot state={state} isLoading={overview.isPending && !overview.isPaused} />
  return (
    <>
      <button
        ref={opener}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={sheet === 'open'}
        aria-label={t('Network: {network}', { network: fullName(network) })}
        onClick={() => setSheet('open')}
        onPointerEnter={() => void loadSheet()}
        onFocus={() => void loadSheet()}
        className={`${LOOK} border-control bg-surface hover:border-ink-3 max-md:w-full lg:hidden`}
      >
        {dot}
        <span className="flex-1 text-start">{fullName(network)}</span>
        <ChevronDown aria-hidden="true" className="size-4 text-ink-3" strokeWidth={1.5} />
      </button>
      <span className={`${LOOK} border-transparent ps-0 font-medium max-lg:hidden`}>
        {dot}
        {fullName(network)}
      </span>
      {sheet !== 'unopened' && (
        <NetworkSheet
          isOpen={sheet === 'open'}
          onClose={() => setSheet('closed')}
          opener={opener}
          chosen={network}
          onPick={chooseNetwork}
        />
      )}
    </>
  )
}
