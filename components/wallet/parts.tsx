import { CircleAlert, FlaskConical, WalletMinimal } from 'lucide-react'
import type { ReactNode } from 'react'
import { Sentence } from '@/components/ui/sentence'
import type { SignInProblem } from '@/components/wallet/connect/sign-in'
import { t } from '@/lib/i18n/t'

export type Fact = { name: string; value: ReactNode }

export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="mt-4 divide-y divide-line border-y border-line">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
          <dt className="text-13 text-ink-3">{name}</dt>
          <dd className="text-end font-mono text-12 wrap-anywhere">
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

type ProblemProps = { problem: SignInProblem; children?: ReactNode }

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

type WalletIconProps = { icon?: string | undefined; isTest?: boolean; size?: 'row' | 'large' }

export function WalletIcon({ icon, isTest = false, size = 'row' }: WalletIconProps) {
  const frame = `flex shrink-0 items-center justify-center overflow-hidden rounded-[22%] border border-line bg-surface ${size === 'row' ? 'size-9' : 'size-14'}`
  const Sign = isTest ? FlaskConical : WalletMinimal
  return (
    <span aria-hidden="true" className={frame}>
      {icon ? (
        // biome-ignore lint/performance/noImgElement: a data URL; there is nothing to optimise
        <img src={icon} alt="" className="size-full object-contain" />
      ) : (
        <Sign className={`text-ink-3 ${size === 'row' ? 'size-[18px]' : 'size-7'}`} strokeWidth={1.5} />
      )}
    </span>
  )
}

export function TestMoney() {
  return (
    <p className="border-s-2 border-brass ps-3 text-13 text-ink-2">
      <Sentence
        text="<strong>Test money.</strong> The sandbox chains run on this machine. No real money moves."
        parts={{ strong: (text) => <strong className="font-medium text-brass">{text}</strong> }}
      />
    </p>
  )
}
