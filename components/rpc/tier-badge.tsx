import type { Tier } from '@/lib/rpc/methods'

const NAME: Record<Tier, string> = { 1: 'Standard', 2: 'Advanced', 4: 'Large' }

type TierBadgeProps = { tier: Tier; isLong?: boolean }

/** How many times a network's credits a call of a method takes. */
export function TierBadge({ tier, isLong = false }: TierBadgeProps) {
  return (
    <span
      title={`${NAME[tier]}: ${tier} × the credits of the network`}
      className={`shrink-0 text-12 whitespace-nowrap tabular-nums ${tier === 1 ? 'text-ink-3' : 'text-brass'}`}
    >
      {isLong ? `${NAME[tier]} ` : <span className="sr-only">{NAME[tier]} </span>}
      <span className="font-mono">{tier}×</span>
    </span>
  )
}
