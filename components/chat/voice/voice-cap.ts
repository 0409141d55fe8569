import { CapReached } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { readPreference } from '@/lib/browser/preferences'
import { parseCap } from '@/lib/browser/spending-cap'
import type { Price, Usd } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

const PICO_PER_NANO = 1_000n
/** A recording is stopped this long before a second begins that would be over the cap. Milliseconds. */
const STOP_BEFORE_MS = 500

/** What this browser lets a message cost: what is dictated for one, or the reading of one, is bounded like it. */
export const messageCap = (): Usd | undefined => parseCap(readPreference('capPerMessage'))

/** How long a recording may be so that writing it down stays within a cap; 0 where not even two seconds fit. */
export function longestRecordingMs(cap: Usd, price: Price): number {
  const seconds = Number((cap * PICO_PER_NANO) / price)
  return seconds < 2 ? 0 : seconds * 1_000 - STOP_BEFORE_MS
}

/** @throws CapReached when `total`, what the reading of an answer comes to with its next part, is over the cap. */
export function assertReading(total: Usd): void {
  const cap = messageCap()
  if (cap === undefined || total <= cap) return
  throw new CapReached(
    'CAP_PER_MESSAGE',
    t('Reading on would cost {cost}. Your cap is {cap} per message.', {
      cost: formatExactMoney(total),
      cap: formatExactMoney(cap),
    }),
  )
}
