import type { Failure } from '@/lib/browser/failure'
import { formatExactMoney, formatMoney } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { type Usd, ZERO } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import { t } from '@/lib/i18n/t'

/** A pause is no failure: the answer goes on where it stopped. */
export type Pause = 'credit' | 'sign-in' | 'cap-per-message' | 'cap-per-day'

export function pauseOf({ code }: Failure): Pause | undefined {
  if (code === 'CAP_PER_MESSAGE') return 'cap-per-message'
  if (code === 'CAP_PER_DAY') return 'cap-per-day'
  if (code === 'PAYMENT_REQUIRED' || code === 'INSUFFICIENT_BALANCE') return 'credit'
  const isSignIn = code === 'SIGN_IN_NEEDED' || code === 'AUTHENTICATION_FAILED' || code === 'UNAUTHORIZED'
  return isSignIn || code.startsWith('X402_SIGN_IN_') ? 'sign-in' : undefined
}

export const isPause = (failure: Failure): boolean => pauseOf(failure) !== undefined

export function pauseMessage(failure: Failure, pause: Pause, balance: Usd | undefined): string {
  if (pause === 'sign-in') return t('Your session expired. Sign in again to continue. Your message is saved.')
  if (pause !== 'credit') return t('{reason} Your message is saved.', { reason: failure.message })
  const needed = failure.credit?.minimum ?? ADMISSION_MINIMUM
  if (balance !== undefined && balance >= needed)
    return t('Paused. Your balance is now {balance}. Your message is saved.', { balance: formatMoney(balance) })
  const had = balance ?? failure.credit?.balance
  if (had === undefined) return t('Paused: no credit left. Add credit to continue. Your message is saved.')
  // Cents say nothing where they are the same.
  const format = formatMoney(had) === formatMoney(needed) ? formatExactMoney : formatMoney
  return t('Paused: this answer needs about {needed}. Your balance is {balance}. Your message is saved.', {
    needed: format(needed),
    balance: format(had),
  })
}

export function cheaperModels(models: ModelCard[], modelId: string | undefined, balance: Usd): ModelCard[] {
  const paused = models.find(({ id }) => id === modelId)
  const isAdmitted = balance >= ADMISSION_MINIMUM
  return models
    .filter((model) => priceOf(model) < priceOf(paused) && (isAdmitted || priceOf(model) === 0))
    .sort((one, other) => priceOf(one) - priceOf(other))
}

export function neededFor(failure: Failure, balance: Usd | undefined): Usd {
  const missing = (failure.credit?.minimum ?? ADMISSION_MINIMUM) - (balance ?? ZERO)
  return (missing > 0n ? missing : ZERO) as Usd
}

function priceOf(model: ModelCard | undefined): number {
  return model?.price ? model.price.input + model.price.output : 0
}
