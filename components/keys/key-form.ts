import type { AccountKey, ApiKeyInput } from '@/lib/browser/account-data'
import { MAX_KEY_LIMIT_USD } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

const AMOUNT = /^\d{1,10}(?:[.,]\d{1,9})?$/
const DAY_MS = 86_400_000

export type Typed = {
  name: string
  type: AccountKey['apiKeyType']
  usd: string
  diem: string
  period: AccountKey['limitPeriod']
  privacy: AccountKey['modelPrivacy']
  /** `never`, `kept` as it is, a number of days, or `date`. */
  end: string
  date: string
}

export function typedOf(row?: AccountKey): Typed {
  return {
    name: row?.description ?? '',
    type: row?.apiKeyType ?? 'INFERENCE',
    usd: text(row?.consumptionLimits.usd),
    diem: text(row?.consumptionLimits.diem),
    period: row?.limitPeriod ?? 'MONTH',
    privacy: row?.modelPrivacy ?? 'ALL',
    end: row?.expiresAt ? 'kept' : 'never',
    date: '',
  }
}

const text = (amount: number | null | undefined): string => (typeof amount === 'number' ? String(amount) : '')

export type Faults = Partial<Record<'name' | 'usd' | 'diem' | 'date', string>>

export function faultsOf({ name, usd, diem, end, date }: Typed, nowMs = Date.now()): Faults {
  const amount = (typed: string) => isAmount(typed.trim()) || t('Enter an amount such as 5 or 0.50, or leave empty.')
  return Object.fromEntries(
    Object.entries({
      name: name.trim() !== '' || t('Name the app that will use this key.'),
      usd: amount(usd),
      diem: amount(diem),
      date: end !== 'date' || Date.parse(date) > nowMs || t('Choose a date after today.'),
    }).filter(([, fault]) => fault !== true),
  )
}

const isAmount = (typed: string): boolean =>
  typed === '' || (AMOUNT.test(typed) && Number(typed.replace(',', '.')) <= MAX_KEY_LIMIT_USD)

export function keyInput({ name, usd, diem, period, privacy, end, date }: Typed, nowMs = Date.now()): ApiKeyInput {
  const limit = (typed: string) => (typed.trim() === '' ? null : Number(typed.trim().replace(',', '.')))
  return {
    description: name.trim(),
    consumptionLimit: { usd: limit(usd), diem: limit(diem) },
    limitPeriod: period,
    modelPrivacy: privacy,
    ...(end !== 'kept' && { expiresAt: endOf(end, date, nowMs) }),
  }
}

function endOf(end: string, date: string, nowMs: number): string {
  if (end === 'never') return ''
  return end === 'date' ? date : new Date(nowMs + Number(end) * DAY_MS).toISOString()
}
