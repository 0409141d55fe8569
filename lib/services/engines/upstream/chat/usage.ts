import 'server-only'
import type { TokenUsage } from '@/lib/services/engines/engine'
import { isWireObject, type WireObject } from '@/lib/services/engines/upstream/chat/wire-value'

/** No request of any model uses more: a count above it is a fault of the upstream and not a count. */
const MAX_TOKENS = 100_000_000

/**
 * Reads a usage object in the spellings of the field. Nothing: there is none, or it cannot be true (negative, not
 * whole, out of all proportion), so nobody may be charged by it. Zero is a count, `null` is none.
 */
export function readUsage(value: unknown): TokenUsage | undefined {
  if (!isWireObject(value)) return undefined
  const inputDetails = detail(value.prompt_tokens_details ?? value.input_tokens_details)
  const outputDetails = detail(value.completion_tokens_details ?? value.output_tokens_details)
  const inputTokens = count(value.prompt_tokens ?? value.input_tokens)
  const total = count(value.total_tokens)
  if (inputTokens === undefined) return undefined
  let outputTokens = count(value.completion_tokens ?? value.output_tokens)
  // A server that says only the sum, as some do when nothing was generated.
  if (value.completion_tokens == null && value.output_tokens == null && total !== undefined && total >= inputTokens) {
    outputTokens = total - inputTokens
  }
  if (outputTokens === undefined) return undefined
  const reasoningTokens = count(outputDetails.reasoning_tokens ?? value.reasoning_tokens) ?? 0
  // Some vendors count thinking beside the output; the sum gives it away.
  if (reasoningTokens > 0 && total === inputTokens + outputTokens + reasoningTokens) outputTokens += reasoningTokens
  const cachedTokens = Math.min(
    inputTokens,
    count(
      inputDetails.cached_tokens ??
        value.prompt_cache_hit_tokens ??
        value.cache_read_input_tokens ??
        value.cached_tokens,
    ) ?? 0,
  )
  const cacheWriteTokens = Math.min(
    inputTokens - cachedTokens,
    count(
      inputDetails.cache_creation_input_tokens ?? inputDetails.cache_write_tokens ?? value.cache_creation_input_tokens,
    ) ?? 0,
  )
  return {
    inputTokens,
    cachedTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens: Math.min(reasoningTokens, outputTokens),
  }
}

const NONE: WireObject = {}
const detail = (value: unknown): WireObject => (isWireObject(value) ? value : NONE)

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : undefined
}
