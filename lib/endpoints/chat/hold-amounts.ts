import 'server-only'
import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { MAX_AUDIO_SECONDS } from '@/lib/contract/limits'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Attachment, MediaRoutes } from '@/lib/endpoints/chat/attachments'
import { secondsAtMost, unreadTokens } from '@/lib/endpoints/chat/media-tokens'
import { boundOf } from '@/lib/endpoints/chat/price'
import { describingBound } from '@/lib/endpoints/chat/read-attachments'
import { boundOfWeb, type WebPlan } from '@/lib/endpoints/chat/web-plan'
import { priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { secondLines } from '@/lib/services/models/type-parts'

export const STRETCH_TOKENS = 4096
export const MIN_OUTPUT_TOKENS = 16
/** Our token count of a prompt is an estimate: a hold covers a fifth more. */
export const MARGIN = 1.2

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
