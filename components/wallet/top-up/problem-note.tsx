'use client'

import { CircleAlert } from 'lucide-react'
import { problemWords } from '@/components/wallet/top-up/messages'
import type { Problem } from '@/components/wallet/top-up/top-up'
import { t } from '@/lib/i18n/t'

/** These are choices of the person, not faults. */
const CALM: Problem['kind'][] = ['rejected', 'cancelled', 'already-credited']

/** Why the last try came to nothing, above what can be tried again. */
export function ProblemNote({ problem }: { problem: Problem }) {
  const { title, text } = problemWords(problem)
  const isCalm = CALM.includes(problem.kind)
  return (
    <section aria-label={t('Error details')} className="enter rounded-card border border-line bg-surface p-4">
      <p className="flex items-center gap-2 font-medium">
        <CircleAlert
          aria-hidden="true"
          className={`size-[18px] shrink-0 ${isCalm ? 'text-ink-3' : 'text-danger'}`}
          strokeWidth={1.5}
        />
        {title}
      </p>
      <p className="mt-1 ps-[26px] text-ink-2 wrap-anywhere">{text}</p>
      {problem.requestId && (
        <p className="mt-1 ps-[26px] font-mono text-12 wrap-anywhere text-ink-3">{problem.requestId}</p>
      )}
    </section>
  )
}
