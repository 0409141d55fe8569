import { passGate } from '@/lib/browser/account-gate'
import { CapReached } from '@/lib/browser/failure'
import { formatExactMoney, moneyOf } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import { readPreference } from '@/lib/browser/preferences'
import { refreshMoney } from '@/lib/browser/queries'
import { isDaySpent, parseCap } from '@/lib/browser/spending-cap'
import { nano, type Usd } from '@/lib/contract/money'
import { formatNumber, t } from '@/lib/i18n/t'

const history = () => import('@/lib/browser/storage/spending')

/**
 * Checks session, credit and cap before calls that a person asked for; false when they may not go out.
 * @param why the beginning of a sentence: `To run this call`.
 * @throws CapReached when the day's cap is.
 */
export async function maySpend(why: string): Promise<boolean> {
  const whyCredit = t('Your request continues as soon as you add credit.')
  if (await passGate({ why, whyCredit, isFree: false })) return false
  await assertDay()
  return true
}

/** @throws CapReached when the day's cap is. */
export async function assertDay(): Promise<void> {
  const cap = await reachedDayCap()
  if (cap === undefined) return
  throw new CapReached(
    'CAP_PER_DAY',
    t('Daily spending cap of {cap} reached. Raise the cap to continue.', { cap: formatExactMoney(cap) }),
  )
}

/** Returns the day's cap once it is spent: it counts chats and calls together. */
export async function reachedDayCap(): Promise<Usd | undefined> {
  const cap = parseCap(readPreference('capPerDay'))
  if (cap === undefined) return undefined
  const { spentOn } = await history()
  return isDaySpent(await spentOn(dayOf(Date.now())), cap) ? cap : undefined
}

export function countSpent(costUsd: number, at = Date.now()): void {
  refreshMoney()
  if (costUsd <= 0) return
  // A browser that keeps nothing counts nothing either.
  void history()
    .then(({ addSpending }) => addSpending({ at, cost: moneyOf(costUsd) }))
    .catch(() => undefined)
}

const LEVELS = [95, 80, 50]

/**
 * Returns a notice when a payment brought the day past 50, 80 or 95 % of its cap; nothing at the cap itself, of which
 * the next message tells.
 * @param cost the payment, already counted into the day.
 */
export async function capNotice(cost: Usd): Promise<string | undefined> {
  const cap = parseCap(readPreference('capPerDay'))
  if (cap === undefined) return undefined
  const { spentOn } = await history()
  const spent = await spentOn(dayOf(Date.now()))
  const level = levelOf(spent, cap)
  if (isDaySpent(spent, cap) || level <= levelOf(nano(spent - cost), cap)) return undefined
  return t('{percent} of your daily spending cap of {cap} used.', {
    percent: formatNumber(level / 100, { style: 'percent' }),
    cap: formatExactMoney(cap),
  })
}

const levelOf = (spent: Usd, cap: Usd): number => LEVELS.find((percent) => spent * 100n >= cap * BigInt(percent)) ?? 0
