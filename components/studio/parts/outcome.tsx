'use client'

import { CircleAlert, Pause } from 'lucide-react'
import type { ComponentProps } from 'react'
import { pauseOf } from '@/components/common/credit-messages'
import { Button } from '@/components/ui/button'
import { RequestId } from '@/components/ui/copy-button'
import { useCountdown } from '@/components/ui/use-countdown'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import type { Failure } from '@/lib/browser/failure'
import { formatExactMoney, formatMoney } from '@/lib/browser/format/cost'
import type { Generation } from '@/lib/browser/storage/generations'
import { msg, t } from '@/lib/i18n/t'

type OutcomeProps = { generation: Generation; onRetry: () => void }

export function Outcome({ generation, onRetry }: OutcomeProps) {
  const { state, failure } = generation
  if (state === 'failed' && failure) return <Failed generation={generation} failure={failure} onRetry={onRetry} />
  return (
    <div className="px-3 pt-3 text-14">
      <p className="font-medium">
        {state === 'cancelled' ? t('Cancelled.') : t('You left the page before generation finished.')}
      </p>
      <p className="mt-0.5 text-13 text-ink-2">{chargeText(generation)}</p>
      <p className="mt-2">
        <Button onClick={onRetry}>{t('Generate again')}</Button>
      </p>
    </div>
  )
}

function Failed({ generation, failure, onRetry }: OutcomeProps & { failure: Failure }) {
  const { title, advice, canRetry } = failureMessage(failure)
  const waitSeconds = useCountdown(failure.retryAt)
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
        <p className="wrap-anywhere">{(pause === 'credit' && creditText(failure)) || (advice ?? failure.message)}</p>
        <p>{chargeText(generation)}</p>
        <div className="flex flex-wrap items-center gap-2 pt-1">
          {pause === 'credit' && <AddCreditButton kind="primary" onAdded={onRetry} />}
          {pause === 'sign-in' && <SignInButton kind="primary" label={t('Sign in again')} onSignedIn={onRetry} />}
          {!pause && canRetry && (
            <Button kind={waitSeconds > 0 ? 'waiting' : 'quiet'} disabled={waitSeconds > 0} onClick={onRetry}>
              {waitSeconds > 0 ? t('Try again in {seconds} s', { seconds: waitSeconds }) : t('Try again')}
            </Button>
          )}
          {failure.requestId && <RequestId id={failure.requestId} />}
        </div>
      </div>
    </div>
  )
}

type ButtonKind = ComponentProps<typeof Button>['kind']

export function AddCreditButton({ kind, onAdded }: { kind?: ButtonKind; onAdded: () => void }) {
  const add = async () => {
    if (await openTopUp({ why: t('Generation starts once you add credit.') })) onAdded()
  }
  return (
    <Button kind={kind} onClick={() => void add()}>
      {t('Add credit')}
    </Button>
  )
}

export function SignInButton({
  kind,
  label,
  onSignedIn,
}: {
  kind?: ButtonKind
  label: string
  onSignedIn: () => void
}) {
  const signIn = async () => {
    if (await openWallet({ why: t('To generate') })) onSignedIn()
  }
  return (
    <Button kind={kind} onClick={() => void signIn()}>
      {label}
    </Button>
  )
}

function creditText({ credit }: Failure): string | undefined {
  if (!credit) return undefined
  const { balance, minimum } = credit
  const format = formatMoney(balance) === formatMoney(minimum) ? formatExactMoney : formatMoney
  return t('You need about {needed}. Your balance is {balance}.', { needed: format(minimum), balance: format(balance) })
}

// A request that was left may have been finished all the same.
function chargeText({ cost, request, failure }: Generation): string {
  if (cost === undefined && request) {
    return failure?.code === 'OFFLINE'
      ? t('The charge is checked when you are back online.')
      : t('Checking the charge…')
  }
  if (cost === undefined || cost === 0n) return t('You were not charged.')
  return t('You were charged {cost}: the service had already finished.', { cost: formatExactMoney(cost) })
}

type FailureMessage = { title: string; advice?: string; canRetry: boolean }

const BUSY: FailureMessage = { title: msg('At capacity right now.'), canRetry: true }
const FAILED: FailureMessage = { title: msg('The model failed.'), canRetry: true }
const GONE: FailureMessage = { title: msg('This model is not available.'), canRetry: false }
const REFUSED: FailureMessage = { title: msg('The service rejected this request.'), canRetry: false }
const CONTENT: FailureMessage = {
  title: msg('The model declined this request.'),
  advice: msg('The request violates the model’s content policy. Rephrase it, or choose another model.'),
  canRetry: false,
}

const MESSAGES: { [C in Failure['code']]?: FailureMessage } = {
  OFFLINE: { title: msg('You’re offline.'), advice: msg('Try again when you are back online.'), canRetry: true },
  CONNECTION_LOST: {
    title: msg('The connection was lost.'),
    advice: msg('The service could not be reached, or the response was interrupted.'),
    canRetry: true,
  },
  STORAGE_FAILED: { title: msg('The result could not be saved.'), canRetry: true },
  PRO_ONLY_MODEL: { title: msg('This model requires a Pro account.'), canRetry: false },
  MODEL_NOT_FOUND: GONE,
  MODEL_RETIRED: GONE,
  REGION_RESTRICTED: GONE,
  MODEL_OFFLINE: { title: msg('This model is not available right now.'), canRetry: true },
  PAYLOAD_TOO_LARGE: { title: msg('The file is too large.'), canRetry: false },
  IMAGE_TOO_LARGE: { title: msg('The image is too large.'), canRetry: false },
  IMAGE_TOO_SMALL: { title: msg('The image is too small.'), canRetry: false },
  CORRUPTED_IMAGE: { title: msg('The image cannot be opened.'), canRetry: false },
  CONTENT_POLICY_VIOLATION: CONTENT,
  RATE_LIMIT_EXCEEDED: { title: msg('Too many requests at once.'), canRetry: true },
  X402_CONCURRENCY_LIMIT: { title: msg('Too many requests at once.'), canRetry: true },
  MODEL_OVERLOADED: BUSY,
  MODEL_AT_CAPACITY: BUSY,
  SERVICE_UNAVAILABLE: BUSY,
  REQUEST_TIMEOUT: { title: msg('The model took too long.'), canRetry: true },
  INVALID_REQUEST: REFUSED,
  INVALID_MODEL: GONE,
  INVALID_CONTENT_TYPE: REFUSED,
  PAYMENT_REQUIRED: { title: msg('Paused: your credit is used up.'), canRetry: true },
  INSUFFICIENT_BALANCE: { title: msg('Paused: your credit is used up.'), canRetry: true },
  SIGN_IN_NEEDED: { title: msg('Your session expired.'), canRetry: true },
  AUTHENTICATION_FAILED: { title: msg('Your session expired.'), canRetry: true },
}

function failureMessage({ code }: Pick<Failure, 'code'>): FailureMessage {
  const { title, advice, canRetry } = MESSAGES[code] ?? FAILED
  return { title: t(title), canRetry, advice: advice && t(advice) }
}
