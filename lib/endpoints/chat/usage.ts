import { LONG_TOKEN_CHARS, SHORT_TOKEN_CHARS } from '@/lib/contract/estimates'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { nativeSearchLines } from '@/lib/endpoints/chat/web'
import type { ChatEvent, ChatRequest, TokenUsage } from '@/lib/services/engines/engine'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model, TokenRates } from '@/lib/services/models/model'

const SPARE_TOKENS = 16
/** Tokens per message that a chat template may add. Generous: it only rejects impossible counts. */
const TEMPLATE_TOKENS = 64

export type UsageBounds = {
  inputTokens: number
  inputBytes: number
  /** Tokens that a vendor may add of its own, where a request has tools or a schema. */
  instructionTokens?: number
  messages: number
  maxOutputTokens: number
}

/**
 * Counts the usage of an answer: the engine's report when it is possible, otherwise what passed by. A report above the
 * allowed output or the prompt's bytes is not believed, so that no engine can overcharge.
 */
export function createUsageCounter(first: UsageBounds) {
  let bounds = first
  let deltas = 0
  let chars = 0
  let thoughtChars = 0
  let reported: TokenUsage | undefined

  const seenOutput = () => Math.min(Math.max(deltas, Math.ceil(chars / LONG_TOKEN_CHARS)), bounds.maxOutputTokens)

  /** Many servers do not count thoughts separately, and none does for tags: they get their share of the text. */
  function withThoughts(usage: TokenUsage): TokenUsage {
    if (usage.reasoningTokens > 0 || thoughtChars === 0) return usage
    return { ...usage, reasoningTokens: Math.ceil((usage.outputTokens * thoughtChars) / chars) }
  }

  return {
    expect(next: UsageBounds): void {
      bounds = next
    },
    count(event: ChatEvent): void {
      if (event.type === 'text-delta') {
        deltas++
        chars += event.text.length
      } else if (event.type === 'reasoning-delta') {
        deltas++
        chars += event.text.length
        thoughtChars += event.text.length
      } else if (event.type === 'tool-call-delta') {
        deltas++
        chars += event.arguments.length
      } else if (event.type === 'usage' && isPossible(event, bounds)) {
        reported = event
      }
    },
    countThoughts(events: ChatEvent[]): void {
      for (const event of events) if (event.type === 'reasoning-delta') thoughtChars += event.text.length
    },
    hasOutput(): boolean {
      return deltas > 0
    },
    isOver(): boolean {
      // Some servers cut a token into several deltas: only deltas with enough text count as tokens.
      const surely = Math.max(Math.min(deltas, chars / SHORT_TOKEN_CHARS), chars / LONG_TOKEN_CHARS)
      return surely > bounds.maxOutputTokens + SPARE_TOKENS
    },
    within(event: ChatEvent): ChatEvent[] {
      if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return []
      const surplus = chars - (bounds.maxOutputTokens + SPARE_TOKENS) * LONG_TOKEN_CHARS
      const length = event.text.length - surplus
      if (surplus <= 0 || length <= 0) return []
      return [{ ...event, text: event.text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') }]
    },
    isEstimated(): boolean {
      return reported === undefined
    },
    usage(): TokenUsage {
      return withThoughts(
        reported ?? {
          inputTokens: bounds.inputTokens,
          cachedTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: seenOutput(),
          reasoningTokens: 0,
        },
      )
    },
  }
}

export type UsageCounter = ReturnType<typeof createUsageCounter>

function isPossible(usage: TokenUsage, bounds: UsageBounds): boolean {
  const { inputBytes, instructionTokens = 0, messages } = bounds
  const maxInput = inputBytes + instructionTokens + TEMPLATE_TOKENS * (messages + 1)
  return (
    usage.inputTokens <= maxInput &&
    usage.cachedTokens + usage.cacheWriteTokens <= usage.inputTokens &&
    usage.outputTokens <= bounds.maxOutputTokens &&
    usage.reasoningTokens <= usage.outputTokens
  )
}

function ratesFor({ rates }: Model, inputTokens: number): TokenRates | undefined {
  return rates?.extended && inputTokens > rates.extended.thresholdTokens ? rates.extended : rates
}

/**
 * Prices an answer: input, cache reads, cache writes, output. A prompt above the threshold is charged at the extended
 * price as a whole.
 */
export function chatLines(model: Model, usage: TokenUsage): PricedUnits[] {
  if (!model.rates) return []
  const rates = ratesFor(model, usage.inputTokens)!
  const cached = rates.cacheInput === undefined ? 0 : usage.cachedTokens
  const written = rates.cacheWrite === undefined ? 0 : usage.cacheWriteTokens
  const lines: PricedUnits[] = [
    { sku: `${model.id}-llm-input-mtoken`, units: usage.inputTokens - cached - written, price: rates.input },
    { sku: `${model.id}-llm-output-mtoken`, units: usage.outputTokens, price: rates.output },
  ]
  if (cached > 0) lines.push({ sku: `${model.id}-llm-cache-read-mtoken`, units: cached, price: rates.cacheInput! })
  if (written > 0) lines.push({ sku: `${model.id}-llm-cache-write-mtoken`, units: written, price: rates.cacheWrite! })
  return lines.filter((line) => line.units > 0)
}

export function outputFor(sum: Usd, models: Model[], inputTokens: number): number {
  const counts = models.map((model) => {
    const { output } = ratesFor(model, inputTokens) ?? {}
    if (!output) return Number.POSITIVE_INFINITY
    return Math.max(0, Number(((sum - boundOf([model], inputTokens, 0)) * 1000n) / output))
  })
  return Math.min(...counts)
}

export function boundOf(models: Model[], inputTokens: number, outputTokens: number): Usd {
  const costs = models.map((model) => {
    const rates = ratesFor(model, inputTokens)
    if (!rates) return ZERO
    const input = rates.cacheWrite !== undefined && rates.cacheWrite > rates.input ? rates.cacheWrite : rates.input
    return nano((BigInt(inputTokens) * input + BigInt(outputTokens) * rates.output + 999n) / 1000n)
  })
  return costs.reduce((max, cost) => (cost > max ? cost : max), ZERO)
}

type Asked = Pick<ChatRequest, 'nativeSearch'>

/** Lists costs beside tokens. A vendor cannot charge for more results than requested. */
export function sideCostLines({ lines }: Pick<SideCosts, 'lines'>, nativeResults: number, asked: Asked): PricedUnits[] {
  return [...lines, ...nativeSearchLines(Math.min(nativeResults, asked.nativeSearch?.maxResults ?? 0))]
}

export function maxSideCost({ lines }: Pick<SideCosts, 'lines'>, asked: Asked): Usd {
  return priceOf([...lines, ...nativeSearchLines(asked.nativeSearch?.maxResults ?? 0)])
}

export type SideCosts = {
  readonly lines: readonly PricedUnits[]
  reserve(cost: Usd): Promise<void>
  spend(lines: PricedUnits[]): void
}

export function createSideCosts(meter: Meter, tokens: () => Usd): SideCosts {
  const lines: PricedUnits[] = []
  let reserved = ZERO
  let last = Promise.resolve()
  return {
    lines,
    reserve(cost) {
      reserved = nano(reserved + cost)
      const wanted = nano(tokens() + reserved)
      // One after the other: each then sees what the one before has set aside.
      last = last.then(() => meter.reserve(wanted))
      return last
    },
    spend: (done) => void lines.push(...done),
  }
}
