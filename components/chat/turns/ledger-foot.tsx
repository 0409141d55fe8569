'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Sentence } from '@/components/ui/sentence'
import { formatExactMoney, formatMoney } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import { usePreference } from '@/lib/browser/preferences'
import { isDaySpent, parseCap } from '@/lib/browser/spending-cap'
import { spentOn } from '@/lib/browser/storage/spending'
import type { SideCosts } from '@/lib/browser/storage/thread'
import { type Usd, ZERO } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

type LedgerProps = { total: Usd; side: SideCosts }

/** What the chat took so far and what the day did: ruled off at the foot of the ledger, as a sum is. */
export function LedgerFoot({ total, side }: LedgerProps) {
  const { spent, cap } = useToday()
  return (
    <div className="ledger pointer-events-none absolute end-0 bottom-0 hidden w-[8.5rem] bg-paper px-4 pt-2 pb-5 text-end font-mono text-12 text-ink-3 tabular-nums lg:block">
      {sideLines(side).map(({ name, cost }) => (
        <p key={name} className="pb-1.5">
          {name}
          <span className="block text-ink-2">{formatExactMoney(cost)}</span>
        </p>
      ))}
      <p className="border-t-3 border-double border-line pt-2">{t('This chat')}</p>
      <p className="text-ink-2">{formatExactMoney(total)}</p>
      <p className={isDaySpent(spent, cap) ? 'mt-1 text-brass' : 'mt-1'}>{todayWords(spent)}</p>
      {cap !== undefined && <p>{capWords(cap)}</p>}
    </div>
  )
}

/** The same in one line under the chat, where there is no gutter. */
export function LedgerLine({ total, side }: LedgerProps) {
  const { spent, cap } = useToday()
  return (
    <p className="ledger sheet-grid pt-3 text-end font-mono text-12 text-ink-3 tabular-nums lg:hidden">
      <span className="sheet-words">
        {sideLines(side).map(({ name, cost }) => `${name} ${formatExactMoney(cost)} · `)}
        <Sentence
          text={t('This chat <cost/>')}
          parts={{ cost: () => <span className="text-ink-2">{formatExactMoney(total)}</span> }}
        />
        {' · '}
        <span className={isDaySpent(spent, cap) ? 'text-brass' : ''}>{todayWords(spent)}</span>
        {cap !== undefined && ` · ${capWords(cap)}`}
      </span>
    </p>
  )
}

/** Each is charged, so each has its line: without them the ledger would not add up. */
function sideLines({ title, suggestions, others }: SideCosts): { name: string; cost: Usd }[] {
  const lines = [
    { name: t('Title'), cost: title },
    { name: t('Suggestions'), cost: suggestions },
    { name: t('Other versions'), cost: others },
  ]
  return lines.filter(({ cost }) => cost > 0n)
}

const todayWords = (spent: Usd): string => t('today {cost}', { cost: formatMoney(spent) })

const capWords = (cap: Usd): string => t('cap {amount}', { amount: formatExactMoney(cap) })

function useToday(): { spent: Usd; cap: Usd | undefined } {
  const [kept] = usePreference('capPerDay')
  const spent = useLiveQuery(() => spentOn(dayOf(Date.now())), [])
  return { spent: spent ?? ZERO, cap: parseCap(kept) }
}
