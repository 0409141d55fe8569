'use client'

import { CircleAlert, Pause } from 'lucide-react'
import { pauseOf } from '@/components/common/pause-messages'
import { RequestId } from '@/components/common/request-id'
import { failureWords } from '@/components/studio/parts/failure-messages'
import { useClock } from '@/components/studio/parts/use-clock'
import { Button } from '@/components/ui/button'
import type { Failure } from '@/lib/browser/failure'
import { formatExactMoney, formatMoney } from '@/lib/browser/format/cost'
import type { Generation } from '@/lib/browser/storage/generations'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

type OutcomeProps = { creation: Generation; onAgain?: () => void }

/** Why there is no result, in its place, with the truth about the money. */
export function Outcome({ creation, onAgain }: OutcomeProps) {
  const { state, failure } = creation
  if (state === 'failed' && failure)
    return <Failed creation={creation} failure={failure} {...(onAgain && { onAgain })} />
  return (
    <div className="px-3 pt-3 text-14">
      <p className="font-medium">
        {state === 'cancelled' ? t('Cancelled.') : t('You left the page before generation finished.')}
      </p>
      <p className="mt-0.5 text-13 text-ink-2">{chargeWords(creation)}</p>
      {onAgain && (
        <p className="mt-2">
          <Button onClick={onAgain}>{t('Generate again')}</Button>
        </p>
      )}
    </div>
  )
}

function Failed({
  creation,
  failure,
  onAgain,
}: Required<Pick<OutcomeProps, 'creation'>> & { failure: Failure; onAgain?: () => void }) {
  const { title, advice, canRetry } = failureWords(failure)
  const waitSeconds = useWait(failure.retryAt)
  const pause = pauseOf(failure)
  return (
    <div className="px-3 pt-3 text-14">
      <p className="flex gap-2 font-medium">
        {pause ? (
          <Pause aria-hidden="true" className="mt-px size-[18px] shrink-0 text-brass" strokeWidth={1.5} />
        ) : (
          <CircleAlert aria-hidden="true" className="mt-px size-[18px] shrink-0 text-danger" strokeWidth={1.5} />
        )}
        {title}
      </p>
      <div className="mt-0.5 space-y-1 ps-[26px] text-13 text-ink-2">
        <p className="wrap-anywhere">{(pause === 'credit' && creditWords(failure)) || (advice ?? failure.message)}</p>
        <p>{chargeWords(creation)}</p>
        <div className="flex flex-wrap items-center gap-2 pt-1">
          {pause === 'credit' && onAgain && <AddCredit onAdded={onAgain} />}
          {pause === 'sign-in' && onAgain && <SignIn onSignedIn={onAgain} />}
          {!pause && canRetry && onAgain && (
            <Button kind={waitSeconds > 0 ? 'waiting' : 'quiet'} disabled={waitSeconds > 0} onClick={onAgain}>
              {waitSeconds > 0 ? t('Try again in {seconds} s', { seconds: waitSeconds }) : t('Try again')}
            </Button>
          )}
          {failure.requestId && <RequestId id={failure.requestId} />}
        </div>
      </div>
    </div>
  )
}

function AddCredit({ onAdded }: { onAdded: () => void }) {
  const add = async () => {
    if (await openTopUp({ why: t('Generation starts once you add credit.') })) onAdded()
  }
  return (
    <Button kind="primary" onClick={() => void add()}>
      {t('Add credit')}
    </Button>
  )
}

function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const signIn = async () => {
    if (await openWallet({ why: t('To generate') })) onSignedIn()
  }
  return (
    <Button kind="primary" onClick={() => void signIn()}>
      {t('Sign in again')}
    </Button>
  )
}

function creditWords({ credit }: Failure): string | undefined {
  if (!credit) return undefined
  const { balance, minimum } = credit
  const format = formatMoney(balance) === formatMoney(minimum) ? formatExactMoney : formatMoney
  return t('You need about {needed}. Your balance is {balance}.', { needed: format(minimum), balance: format(balance) })
}

/** What is known of the money: a request that was left may have been finished all the same. */
function chargeWords({ cost, request, failure }: Generation): string {
  if (cost === undefined && request) {
    return failure?.code === 'OFFLINE'
      ? t('The charge is checked when you are back online.')
      : t('Checking the charge…')
  }
  if (cost === undefined || cost === 0n) return t('You were not charged.')
  return t('You were charged {cost}: the service had already finished.', { cost: formatExactMoney(cost) })
}

/** Whole seconds until a time; 0 when it has come. */
function useWait(until: number | undefined): number {
  const now = useClock(until !== undefined && until > Date.now())
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1_000))
}
