'use client'

import { useMemo } from 'react'
import { compactTokens } from '@/components/chat/models/price'
import type { ModelCard } from '@/lib/browser/models'
import { branchTokens } from '@/lib/browser/storage/thread'
import { useThread } from '@/lib/browser/storage/use-thread'
import { t } from '@/lib/i18n/t'

/** From this share of the window on, the next answers may not fit. */
const NEARLY_FULL = 0.8

type ContextGaugeProps = { chatId: string; model: ModelCard }

/** How much of the model's window the shown branch takes: what the next question sends along. */
export function ContextGauge({ chatId, model }: ContextGaugeProps) {
  const thread = useThread(chatId)
  const used = useMemo(() => (thread ? branchTokens(thread.turns) : 0), [thread])
  const window = model.contextTokens
  if (used === 0 || window === 0) return null
  const share = Math.min(1, used / window)
  const isFull = share >= NEARLY_FULL
  const filling = { used: compactTokens(used), window: compactTokens(window), model: model.name }
  const words = isFull
    ? t(
        'This chat uses about {used} of {window} tokens of context for {model}. Start a new chat soon, or select a model with a larger context.',
        filling,
      )
    : t('This chat uses about {used} of {window} tokens of context for {model}.', filling)
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className={`hidden shrink-0 items-center gap-1.5 px-1.5 font-mono text-12 tabular-nums sm:inline-flex ${isFull ? 'text-danger' : 'text-ink-3'}`}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true" className="size-4 -rotate-90">
        <circle cx="8" cy="8" r="6" fill="none" stroke="var(--color-line)" strokeWidth="2.5" />
        <circle
          cx="8"
          cy="8"
          r="6"
          fill="none"
          stroke="currentColor"
          strokeWidth="2.5"
          pathLength="1"
          strokeDasharray={`${Math.max(0.02, share)} 1`}
        />
      </svg>
      <span dir="ltr" className="max-lg:hidden">
        {compactTokens(used)}/{compactTokens(window)}
      </span>
    </span>
  )
}
