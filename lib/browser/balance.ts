import { nano, type Usd, usd } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'

const LOW_WALLET = usd('1')
/** A guest begins with a dollar of test credit, of which most is not low. */
const LOW_GUEST = usd('0.25')
/** Credit for fewer answers than this is low, too. */
const LOW_ANSWERS = 20n

export type BalanceState = 'fine' | 'low' | 'empty'

type Held = { kind: 'guest' | 'wallet' | 'account'; credit: Usd; allowance: Usd }

/** How a balance looks: `empty` is refused by the service, `low` soon will be. The allowance of the day counts, too. */
export function balanceState({ kind, credit, allowance }: Held, averageAnswer: Usd | undefined): BalanceState {
  const left = nano(credit + allowance)
  if (left < ADMISSION_MINIMUM) return 'empty'
  const isFewAnswers = averageAnswer !== undefined && left < averageAnswer * LOW_ANSWERS
  return left < (kind === 'guest' ? LOW_GUEST : LOW_WALLET) || isFewAnswers ? 'low' : 'fine'
}
