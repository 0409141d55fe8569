import { nano, ZERO } from '@/lib/contract/money'
import type { CallCounts, Charge, ChargeLine } from '@/lib/services/ledger/hold'

export type Total = {
  add: (charge: Charge) => void
  /** Its lines are those that `add` goes on with: copy them at once. */
  charge: () => Charge
}

/** Adds charges up exactly: lines of the same SKU at the same price become one. */
export function createTotal(): Total {
  const lines: ChargeLine[] = []
  let facts: Omit<Charge, 'amount' | 'lines'> | undefined
  let amount = ZERO

  function addLine(added: ChargeLine): void {
    const line = lines.find(({ sku, price }) => sku === added.sku && price === added.price)
    if (!line) {
      lines.push({ ...added })
      return
    }
    line.units += added.units
    line.amount = nano(line.amount + added.amount)
    if (added.calls) line.calls = counted(line.calls, added.calls)
  }

  return {
    add({ amount: added, lines: addedLines, ...more }) {
      amount = nano(amount + added)
      for (const line of addedLines) addLine(line)
      facts = facts === undefined ? more : joined(facts, more)
    },
    charge: () => ({ ...facts, amount, lines }),
  }
}

type Facts = Omit<Charge, 'amount' | 'lines'>

function joined(a: Facts, b: Facts): Facts {
  return {
    modelId: a.modelId === b.modelId ? a.modelId : undefined,
    modelType: a.modelType === b.modelType ? a.modelType : undefined,
    promptTokens: together(a.promptTokens, b.promptTokens),
    completionTokens: together(a.completionTokens, b.completionTokens),
    durationMs: longer(a.durationMs, b.durationMs),
    isEstimated: a.isEstimated || b.isEstimated,
  }
}

function counted(a: CallCounts = {}, b: CallCounts): CallCounts {
  const sum: Record<string, number> = { ...a }
  for (const [method, count] of Object.entries(b)) sum[method] = (sum[method] ?? 0) + count
  return sum
}

const together = (a: number | undefined, b: number | undefined) =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)
const longer = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
