import { readPreference, writePreference } from '@/lib/browser/preferences'
import { nano, type Usd, usd } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'

const LOW_WALLET = usd('1')
const LOW_GUEST = usd('0.25')
const LOW_ANSWERS = 20n

export type BalanceState = 'fine' | 'low' | 'empty'

type Held = { kind: 'guest' | 'wallet' | 'account'; credit: Usd; allowance: Usd }

/** Returns how a balance looks: `empty` is refused by the service, `low` soon will be. */
export function balanceState({ kind, credit, allowance }: Held, averageAnswer: Usd | undefined): BalanceState {
  const left = nano(credit + allowance)
  if (left < ADMISSION_MINIMUM) return 'empty'
  const isFewAnswers = averageAnswer !== undefined && left < averageAnswer * LOW_ANSWERS
  return left < (kind === 'guest' ? LOW_GUEST : LOW_WALLET) || isFewAnswers ? 'low' : 'fine'
}

const MAX_COSTS = 20

export function rememberCost(cost: Usd): void {
  const costs = [...costsOf(readPreference('answerCosts')), cost].slice(-MAX_COSTS)
  writePreference('answerCosts', costs.join(' '))
}

/** Parses the preference `answerCosts`: the last cost and the average; nothing before the first answer. */
export function answerCosts(stored: string): { last: Usd; average: Usd } | undefined {
  const costs = costsOf(stored)
  const last = costs.at(-1)
  if (last === undefined) return undefined
  const sum = costs.reduce((total, cost) => total + cost, 0n)
  return { last, average: nano(sum / BigInt(costs.length)) }
}

function costsOf(costs: string): Usd[] {
  return costs.split(' ').flatMap((cost) => (/^\d{1,18}$/.test(cost) ? [nano(BigInt(cost))] : []))
}
