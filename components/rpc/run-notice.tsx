'use client'

import { RaiseCap } from '@/components/common/raise-cap'
import type { RunState } from '@/components/rpc/run'
import { Button } from '@/components/ui/button'
import { NoticeLine } from '@/components/ui/notice-line'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { t } from '@/lib/i18n/t'

type RunNoticeProps = { run: RunState; isBusy: boolean; onRun: (options?: { isDayWaived?: boolean }) => void }

export function RunNotice({ run, isBusy, onRun }: RunNoticeProps) {
  const { refusal, failure } = run
  if (refusal === 'not-signed-in') {
    const signIn = async () => {
      if (await openWallet({ why: t('To run this call') })) onRun()
    }
    return (
      <NoticeLine text={t('Sign in with a wallet to run this call. Your call is saved.')}>
        <Button onClick={() => void signIn()}>{t('Sign in')}</Button>
      </NoticeLine>
    )
  }
  if (refusal === 'no-credit') {
    const addCredit = async () => {
      if (await openTopUp({ why: t('Your call runs as soon as you add credit.') })) onRun()
    }
    return (
      <NoticeLine text={t('Add credit to run this call. Your call is saved.')}>
        <Button onClick={() => void addCredit()}>{t('Add credit')}</Button>
      </NoticeLine>
    )
  }
  if (failure?.code !== 'CAP_PER_DAY') return null
  return (
    <NoticeLine text={failure.message}>
      <RaiseCap name="capPerDay" isBusy={isBusy} onRaised={() => onRun()} />
      <Button onClick={() => onRun({ isDayWaived: true })}>{t('Run once anyway')}</Button>
    </NoticeLine>
  )
}
