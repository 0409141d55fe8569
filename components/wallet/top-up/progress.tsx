'use client'

import { Check } from 'lucide-react'
import type { TopUp } from '@/components/wallet/top-up/top-up'
import { msg, t } from '@/lib/i18n/t'

const STEPS = [msg('Sign'), msg('Sent'), msg('Confirming'), msg('Credited')]

/** How far a payment is: the index of the step that is being done. */
const AT: Record<TopUp['step'], number> = { choosing: 0, asking: 0, signing: 0, sending: 1, confirming: 2, credited: 4 }

/** Sign, sent, confirming, credited. */
export function Progress({ state }: { state: TopUp }) {
  const at = AT[state.step]
  return (
    <ol aria-label={t('Payment progress')} className="flex items-center gap-1.5 text-12 text-ink-3 sm:gap-2">
      {STEPS.map((step, index) => {
        const isDone = index < at
        const isCurrent = index === at
        return (
          <li
            key={step}
            aria-current={isCurrent ? 'step' : undefined}
            className={`flex items-center gap-1 not-first:before:me-0.5 not-first:before:h-px not-first:before:w-2 not-first:before:bg-line sm:not-first:before:w-3 ${isCurrent ? 'font-medium text-ink' : isDone ? 'text-ink-2' : ''}`}
          >
            {t(step)}
            {isDone && <Check aria-hidden="true" className="size-3.5 text-ok" strokeWidth={2} />}
            {isDone && <span className="sr-only">{t('done')}</span>}
            {isCurrent && (
              <span
                aria-hidden="true"
                className="size-1.5 animate-[breathe_1.6s_ease-in-out_infinite] rounded-chip bg-accent"
              />
            )}
          </li>
        )
      })}
    </ol>
  )
}
