import { z } from 'zod'
import { MAX_KEY_LIMIT_USD } from '@/lib/contract/limits'
import { type Usd, usd } from '@/lib/contract/money'

const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?)?$/
const IS_NO_DATE = 'must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ'
const DATE_CHARACTERS = 10

/** An old name that holds nothing any more; the answer says that it has no limit. */
const vcu = z.number().min(0).max(MAX_KEY_LIMIT_USD).nullish()
const amount = z.number().min(0).max(MAX_KEY_LIMIT_USD)
/** The most that the ledger can count to, in whole dollars. A limit beyond it is never reached, so it may as well be this one. */
const LARGEST = usd('9223372036')

/** Finer than a nano-dollar is cut: no key can spend less than that. */
function exact(dollars: number): Usd {
  const amount = usd(dollars.toFixed(9))
  return amount < LARGEST ? amount : LARGEST
}

const given = amount.nullish().transform((dollars): Usd | null => (typeof dollars === 'number' ? exact(dollars) : null))
const changed = amount
  .nullish()
  .transform((dollars): Usd | null | undefined => (typeof dollars === 'number' ? exact(dollars) : dollars))

/** The limits of a new key: a member that is absent or null is no limit. */
export const ConsumptionLimit = z
  .strictObject({ usd: given, diem: given, vcu })
  .transform(({ usd, diem }) => ({ usd, diem }))

/** Limits that change: null takes one away, an absent member stays. */
export const ConsumptionLimitChange = z
  .strictObject({ usd: changed, diem: changed, vcu })
  .transform(({ usd, diem }) => ({ usd, diem }))

/** When a key ends: UTC, in the future; empty for never. */
export const ExpiresAt = z
  .string()
  .regex(DATE, IS_NO_DATE)
  .transform((text, context): Date | null => {
    if (text === '') return null
    const at = new Date(text)
    if (!isThatDay(at, text)) {
      context.addIssue({ code: 'custom', message: IS_NO_DATE })
      return z.NEVER
    }
    if (at.getTime() <= Date.now()) {
      context.addIssue({ code: 'custom', message: 'must be in the future' })
      return z.NEVER
    }
    return at
  })

/** JavaScript takes the 30th of February for the 2nd of March. */
const isThatDay = (at: Date, text: string): boolean =>
  !Number.isNaN(at.getTime()) && at.toISOString().slice(0, DATE_CHARACTERS) === text.slice(0, DATE_CHARACTERS)
