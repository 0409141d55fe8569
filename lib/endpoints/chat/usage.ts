import { LONG_TOKEN_CHARS, SHORT_TOKEN_CHARS } from '@/lib/contract/estimates'
import type { ChatEvent, TokenUsage } from '@/lib/services/engines/engine'

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
