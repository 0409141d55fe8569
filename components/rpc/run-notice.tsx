'use client'

import { RaiseCap } from '@/components/chat/turns/raise-cap'
import type { RunState } from '@/components/rpc/run'
import { openTopUp } from '@/components/top-up/open'
import { Button } from '@/components/ui/button'
import { openWallet } from '@/components/wallet/open'
import { t } from '@/lib/i18n/t'

type RunNoticeProps = { run: RunState; isBusy: boolean; onRun: (options?: { isDayWaived?: boolean }) => void }

/** Why the last call was kept back, and the way on. */
export function RunNotice({ run, isBusy, onRun }: RunNoticeProps) {
  const { kept, failure } = run
  if (kept === 'not-signed-in') {
    const signIn = async () => {
      if (await openWallet({ why: t('To run this call') })) onRun()
    }
    return (
      <Line text={t('Running needs a wallet. Your call is kept; everything else works without.')}>
        <Button onClick={() => void signIn()}>{t('Sign in')}</Button>
      </Line>
    )
  }
  if (kept === 'no-credit') {
    const addCredit = async () => {
      if (await openTopUp({ why: t('Your call goes out as soon as there is credit.') })) onRun()
    }
    return (
      <Line text={t('Running needs credit. Your call is kept.')}>
        <Button onClick={() => void addCredit()}>{t('Add credit')}</Button>
      </Line>
    )
  }
  if (failure?.code !== 'CAP_PER_DAY') return null
  return (
    <Line text={failure.message}>
      <RaiseCap name="capPerDay" isBusy={isBusy} onRaised={() => onRun()} />
      <Button onClick={() => onRun({ isDayWaived: true })}>{t('Run anyway once')}</Button>
    </Line>
  )
}

type LineProps = { text: string; children: React.ReactNode }

function Line({ text, children }: LineProps) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line py-2 text-13"
    >
      <p className="min-w-0 flex-1 basis-48 text-ink-2">{text}</p>
      <span className="flex gap-2">{children}</span>
    </div>
  )
}
