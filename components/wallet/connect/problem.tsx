import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SignInProblem } from '@/components/wallet/connect/sign-in-messages'
import { t } from '@/lib/i18n/t'

type ProblemProps = { problem: SignInProblem; children?: ReactNode }

/** What went wrong, where it went wrong, and what can be done about it. It is spoken by the announcer. */
export function Problem({ problem, children }: ProblemProps) {
  return (
    <section aria-label={t('Error details')} className="mt-4 rounded-card border border-line bg-surface p-4">
      <p className="flex gap-2 wrap-anywhere">
        <CircleAlert aria-hidden="true" className="mt-px size-[18px] shrink-0 text-danger" strokeWidth={1.5} />
        {problem.message}
      </p>
      {problem.code && (
        <p className="mt-1 ps-[26px] font-mono text-12 text-ink-3 wrap-anywhere">
          {problem.code}
          {problem.requestId && ` · ${problem.requestId}`}
        </p>
      )}
      {children && <div className="mt-3 flex flex-wrap gap-2 ps-[26px]">{children}</div>}
    </section>
  )
}
