import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { describingBound, hearingLines } from '@/lib/endpoints/chat/assist'
import { LEAST_OUTPUT_TOKENS, MARGIN, STRETCH_TOKENS } from '@/lib/endpoints/chat/bounds'
import { secondsAtMost, unreadTokens } from '@/lib/endpoints/chat/media-tokens'
import type { Preparation } from '@/lib/endpoints/chat/prepare'
import { boundOf } from '@/lib/endpoints/chat/usage'
import { boundOfWeb } from '@/lib/endpoints/chat/web'
import { priceOf } from '@/lib/services/ledger/price'
import type { Model } from '@/lib/services/models/model'

/** The longest recording that is taken, in seconds. */
const LONGEST_RECORDING_SECONDS = 1_800

/** What is held before anything begins, and the least that a short answer can begin with. */
export function holdAmounts(
  models: Model[],
  inputTokens: number,
  maxTokens: number,
  n: number,
  preparation: Preparation | undefined,
): { amount: Usd; minimum: Usd } {
  const heldInput = Math.ceil(inputTokens * MARGIN)
  const minimum = boundOf(models, heldInput, Math.min(maxTokens, LEAST_OUTPUT_TOKENS) * n)
  const output = Math.min(maxTokens, STRETCH_TOKENS) * n
  if (!preparation) return { amount: boundOf(models, heldInput, output), minimum }
  const unread = unreadTokens(preparation.attachments, preparation.routes, models[0]!)
  const beside = nano(priceOf(boundOfWeb(preparation.web)) + boundOfReading(preparation))
  return { amount: nano(boundOf(models, heldInput + unread, output) + beside), minimum: nano(minimum + least(beside)) }
}

/** A free model whose conversation costs something beside it needs a hold to begin with. */
const least = (beside: Usd): Usd => (beside > 0n ? nano(1n) : ZERO)

/** What models that read for the chosen one can cost, by the size of what they get. */
function boundOfReading({ attachments, routes }: Preparation): Usd {
  const { image, audio } = routes
  const looking = typeof image === 'object' ? describingBound(image) : ZERO
  const hearing = (seconds: number) =>
    typeof audio === 'object' ? priceOf(hearingLines(audio, Math.min(seconds, LONGEST_RECORDING_SECONDS))) : ZERO
  return attachments.reduce((sum, { content }) => {
    if (content.type === 'image_url') return nano(sum + looking)
    if (content.type === 'input_audio') return nano(sum + hearing(secondsAtMost(content.input_audio.data)))
    // A video's frames and sound, and pictures sent as files, are set aside one by one when they are known.
    return sum
  }, ZERO)
}
