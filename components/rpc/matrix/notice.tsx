'use client'

import type { MatrixState } from '@/components/rpc/matrix/use-matrix'
import { Button } from '@/components/ui/button'
import type { Failure } from '@/lib/browser/failure'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { msg, t } from '@/lib/i18n/t'

const TITLES: { [C in Failure['code']]?: string } = {
  OFFLINE: msg('You’re offline.'),
  CONNECTION_LOST: msg('The connection was lost.'),
  SIGN_IN_NEEDED: msg('Your session has expired.'),
  AUTHENTICATION_FAILED: msg('Your session has expired.'),
  PAYMENT_REQUIRED: msg('Not enough credit.'),
  INSUFFICIENT_BALANCE: msg('Not enough credit.'),
  RATE_LIMIT_EXCEEDED: msg('Rate limit reached.'),
  CAP_PER_DAY: msg('Daily spending limit reached.'),
}

/** In place of the service's own words, where it had none. */
const ADVICE: { [C in Failure['code']]?: string } = {
  OFFLINE: msg('Your call is saved here. Run it again when you’re back online.'),
  CONNECTION_LOST: msg('The service is unreachable or the connection broke. Results so far are below.'),
}

const NO_CREDIT: Failure['code'][] = ['PAYMENT_REQUIRED', 'INSUFFICIENT_BALANCE']

/** What happened to the run as a whole, where it did not simply end. What networks say stands in their rows. */
export function MatrixNotice({ state, onRun }: { state: MatrixState; onRun: () => void }) {
  const { failure, isKept } = state
  if (isKept)
    return (
      <p className="mt-4 text-14 text-ink-2">{t('Nothing was sent. Your call is saved here until you sign in.')}</p>
    )
  if (!failure) return null
  const advice = ADVICE[failure.code]
  const addCredit = async () => {
    if (await openTopUp({ why: t('Your calls run as soon as you add credit.') })) onRun()
  }
  return (
    <section aria-label={t('Error details')} className="mt-4 rounded-card border border-line bg-surface p-4">
      <p className="text-14 font-medium">{t(TITLES[failure.code] ?? msg('The service rejected these calls.'))}</p>
      <p className="mt-1 text-14 wrap-anywhere text-ink-2">{advice === undefined ? failure.message : t(advice)}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        {NO_CREDIT.includes(failure.code) ? (
          <Button onClick={() => void addCredit()}>{t('Add credit')}</Button>
        ) : (
          failure.retryAt === undefined && <Button onClick={onRun}>{t('Try again')}</Button>
        )}
        {failure.requestId && <span className="font-mono text-12 text-ink-3">{failure.requestId}</span>}
      </div>
    </section>
  )
}
