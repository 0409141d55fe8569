import 'server-only'
import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { DESCRIBED_IMAGE_TOKENS, DESCRIPTION_TOKENS } from '@/lib/contract/estimates'
import { MAX_AUDIO_SECONDS } from '@/lib/contract/limits'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Attachment, MediaRoutes } from '@/lib/endpoints/chat/attachments'
import { secondsAtMost, unreadTokens } from '@/lib/endpoints/chat/media-tokens'
import { boundOfWeb, nativeSearchLines, type WebPlan } from '@/lib/endpoints/chat/web-plan'
import type { ChatRequest, TokenUsage } from '@/lib/services/engines/engine'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model, TokenRates } from '@/lib/services/models/model'
import { secondLines } from '@/lib/services/models/type-parts'

export const STRETCH_TOKENS = 4096
export const MIN_OUTPUT_TOKENS = 16
/** Our token count of a prompt is an estimate: a hold covers a fifth more. */
export const MARGIN = 1.2

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

export type Preparation = {
  messages: ChatCompletionRequest['messages']
  attachments: Attachment[]
  routes: MediaRoutes
  web: WebPlan
}

/**
 * Returns the largest cost of a request, which a hold sets aside, and the smallest with which it may begin.
 */
export function holdAmounts(
  models: Model[],
  inputTokens: number,
  maxTokens: number,
  n: number,
  preparation: Preparation | undefined,
): { amount: Usd; minimum: Usd } {
  const heldInput = Math.ceil(inputTokens * MARGIN)
  const minimum = boundOf(models, heldInput, Math.min(maxTokens, MIN_OUTPUT_TOKENS) * n)
  const output = Math.min(maxTokens, STRETCH_TOKENS) * n
  if (!preparation) return { amount: boundOf(models, heldInput, output), minimum }
  const unread = unreadTokens(preparation.attachments, preparation.routes, models[0]!)
  const sideCost = nano(priceOf(boundOfWeb(preparation.web)) + maxAttachmentCost(preparation))
  return {
    amount: nano(boundOf(models, heldInput + unread, output) + sideCost),
    minimum: nano(minimum + min(sideCost)),
  }
}

const min = (sideCost: Usd): Usd => (sideCost > 0n ? nano(1n) : ZERO)

function maxAttachmentCost({ attachments, routes }: Preparation): Usd {
  const { image, audio } = routes
  const looking = typeof image === 'object' ? describingBound(image) : ZERO
  const hearing = (seconds: number) =>
    typeof audio === 'object' ? priceOf(secondLines(audio, Math.min(seconds, MAX_AUDIO_SECONDS))) : ZERO
  return attachments.reduce((sum, { content }) => {
    if (content.type === 'image_url') return nano(sum + looking)
    if (content.type === 'input_audio') return nano(sum + hearing(secondsAtMost(content.input_audio.data)))
    // A video's frames and sound, and pictures sent as files, are set aside one by one when they are known.
    return sum
  }, ZERO)
}

export function describingBound(model: Model): Usd {
  return boundOf([model], DESCRIBED_IMAGE_TOKENS.upper, descriptionTokens(model))
}

export const descriptionTokens = (model: Model): number => Math.min(DESCRIPTION_TOKENS.upper, model.maxCompletionTokens)

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
