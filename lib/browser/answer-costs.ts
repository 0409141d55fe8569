import { readPreference, writePreference } from '@/lib/browser/preferences'
import { nano, type Usd } from '@/lib/contract/money'

/** The average is that of this many answers. */
const KEPT = 20

/** Remembers what an answer cost. */
export function rememberCost(cost: Usd): void {
  const kept = [...costsOf(readPreference('answerCosts')), cost].slice(-KEPT)
  writePreference('answerCosts', kept.join(' '))
}

/** What the last answer and an average one cost, of the setting `answerCosts`; nothing before the first. */
export function answerCosts(kept: string): { last: Usd; average: Usd } | undefined {
  const costs = costsOf(kept)
  const last = costs.at(-1)
  if (last === undefined) return undefined
  const sum = costs.reduce((total, cost) => total + cost, 0n)
  return { last, average: nano(sum / BigInt(costs.length)) }
}

function costsOf(kept: string): Usd[] {
  return kept.split(' ').flatMap((cost) => (/^\d{1,18}$/.test(cost) ? [nano(BigInt(cost))] : []))
}
