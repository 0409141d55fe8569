'use client'

import { CircleAlert } from 'lucide-react'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import type { FailureWords } from '@/components/rpc/response/failure-messages'
import { useNow } from '@/components/rpc/response/use-now'
import { Button } from '@/components/ui/button'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

type FailureCardProps = { words: FailureWords; onRun?: (() => void) | undefined; isBusy: boolean }

/** Why there is no result, in the place of the result, and the way on. */
export function FailureCard({ words, onRun, isBusy }: FailureCardProps) {
  const { title, advice, issues, retryAt, isFree } = words
  return (
    <section aria-label={t('Call failed')} className="m-4 rounded-card border border-line bg-surface p-4">
      <p className="flex items-center gap-2 text-14 font-medium">
        <CircleAlert aria-hidden="true" className="size-[18px] shrink-0 text-danger" strokeWidth={1.5} />
        {title}
      </p>
      <p className="mt-1 ps-[26px] text-14 text-ink-2 wrap-anywhere">
        {visibleText(advice)}
        {isFree && ` ${t('Nothing was charged.')}`}
      </p>
      {issues.length > 0 && (
        <ul className="mt-2 space-y-1 ps-[26px] text-13">
          {issues.map(({ place, message }) => (
            <li key={`${place} ${message}`} className="text-ink-2 wrap-anywhere">
              {place && (
                <code dir="ltr" className="font-mono text-12 text-ink">
                  {visibleText(place)}
                </code>
              )}{' '}
              {visibleText(message)}
            </li>
          ))}
        </ul>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-2 ps-[26px] empty:hidden">
        <WayOn words={words} onRun={onRun} isBusy={isBusy} />
        {retryAt !== undefined && <Countdown until={retryAt} onRun={onRun} isBusy={isBusy} />}
      </div>
    </section>
  )
}

function WayOn({ words, onRun, isBusy }: FailureCardProps) {
  if (words.wayOn === 'sign-in') {
    const signIn = async () => {
      if (await openWallet({ why: t('To run this call') })) onRun?.()
    }
    return (
      <Button kind="primary" disabled={isBusy} onClick={() => void signIn()}>
        {t('Sign in again')}
      </Button>
    )
  }
  if (words.wayOn !== 'credit') return null
  const addCredit = async () => {
    if (await openTopUp({ why: t('For RPC calls.') })) onRun?.()
  }
  return (
    <Button kind="primary" disabled={isBusy} onClick={() => void addCredit()}>
      {t('Add credit')}
    </Button>
  )
}

type CountdownProps = { until: number; onRun: (() => void) | undefined; isBusy: boolean }

function Countdown({ until, onRun, isBusy }: CountdownProps) {
  const now = useNow(1_000)
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  if (seconds > 0) {
    return (
      <p className="text-14 text-ink-2 tabular-nums" role="timer">
        {t('Try again in {seconds} s.', { seconds })}
      </p>
    )
  }
  if (!onRun) return <p className="text-14 text-ink-2">{t('Run the call again now.')}</p>
  return (
    <Button kind="primary" disabled={isBusy} onClick={onRun}>
      {t('Run again')}
    </Button>
  )
}
