'use client'

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Sentence } from '@/components/ui/sentence'
import { holdingQuery } from '@/components/wallet/top-up/holdings'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { formatUnits } from '@/lib/browser/format/amounts'
import type { Session } from '@/lib/browser/session'
import type { Family } from '@/lib/contract/chains'
import { t } from '@/lib/i18n/t'

/** What arrives in the wallet while the sheet is open is noticed within this time. */
const REFRESH_MS = 5_000

/** How much USDC the wallet of a session holds, in base units. */
export function useHolding({ address, family }: Session): UseQueryResult<bigint> {
  return useQuery({
    ...holdingQuery(family ?? 'evm', address ?? ''),
    enabled: address !== null && family !== null,
    refetchInterval: REFRESH_MS,
  })
}

type RailProps = { family: Family; holding: UseQueryResult<bigint> }

/** Where the money comes from. A wallet signs on its own chain, so there is nothing to choose. */
export function Rail({ family, holding }: RailProps) {
  return (
    <div>
      <p className="mb-2 text-13 font-medium text-ink-2">{t('From')}</p>
      <p className="flex min-h-11 items-center justify-between gap-3 rounded-control border border-line bg-surface px-3">
        <span>{t('USDC on {chain}', { chain: CHAIN_NAME[family] })}</span>
        <Held holding={holding} />
      </p>
    </div>
  )
}

function Held({ holding }: { holding: UseQueryResult<bigint> }) {
  const held = holding.data
  if (held !== undefined) {
    return (
      <span className="text-13 text-ink-3">
        <Sentence
          text="balance <amount/>"
          parts={{ amount: () => <span className="font-mono text-ink-2 tabular-nums">{formatUnits(held)}</span> }}
        />
      </span>
    )
  }
  if (holding.isError) return <span className="text-13 text-ink-3">{t('balance unavailable')}</span>
  return <span aria-hidden="true" className="skeleton h-4 w-28" />
}
