import type { Tier } from '@/lib/contract/rpc-methods'
import { msg, t } from '@/lib/i18n/t'

const NAME: Record<Tier, string> = { 1: msg('Standard'), 2: msg('Advanced'), 4: msg('Large') }

type TierBadgeProps = { tier: Tier; isLong?: boolean }

/** How many times a network's credits a call of a method takes. */
export function TierBadge({ tier, isLong = false }: TierBadgeProps) {
  const name = t(NAME[tier])
  return (
    <span
      title={t('{tier}: {count}× the network’s credits', { tier: name, count: tier })}
      className={`shrink-0 text-12 whitespace-nowrap tabular-nums ${tier === 1 ? 'text-ink-3' : 'text-brass'}`}
    >
      {isLong ? `${name} ` : <span className="sr-only">{name} </span>}
      <span dir="ltr" className="font-mono">
        {tier}×
      </span>
    </span>
  )
}
