import { formatExactMoney } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import { readPreference } from '@/lib/browser/preferences'
import { isDaySpent, parseCap } from '@/lib/browser/spending-cap'
import { spentOn } from '@/lib/browser/storage/spending'
import { nano, type Usd } from '@/lib/contract/money'
import { formatNumber, t } from '@/lib/i18n/t'

const LEVELS = [95, 80, 50]

/**
 * Returns a notice when a payment brought the day past 50, 80 or 95 % of its cap; nothing at the cap itself, of which
 * the next message tells.
 * @param cost the payment, already counted into the day.
 */
export async function capNotice(cost: Usd): Promise<string | undefined> {
  const cap = parseCap(readPreference('capPerDay'))
  if (cap === undefined) return undefined
  const spent = await spentOn(dayOf(Date.now()))
  const level = levelOf(spent, cap)
  if (isDaySpent(spent, cap) || level <= levelOf(nano(spent - cost), cap)) return undefined
  return t('{percent} of your daily spending cap of {cap} used.', {
    percent: formatNumber(level / 100, { style: 'percent' }),
    cap: formatExactMoney(cap),
  })
}

const levelOf = (spent: Usd, cap: Usd): number => LEVELS.find((percent) => spent * 100n >= cap * BigInt(percent)) ?? 0
