import { hearingPricesQuery } from '@/components/chat/voice/voice-models'
import { profileQuery } from '@/lib/browser/characters'
import type { ChatBody, RequestTurn } from '@/lib/browser/chat-request'
import { needsHearing, readingPrice, sourcesPrice } from '@/lib/browser/estimate'
import { CapReached } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { readPreference } from '@/lib/browser/preferences'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { assertDay } from '@/lib/browser/spending'
import { fitWithOtherCosts, parseCap, promptTokens, tokensOfBytes } from '@/lib/browser/spending-cap'
import { filesSent, type Sources } from '@/lib/browser/storage/records'
import { LIMITS } from '@/lib/contract/characters/character'
import { WEB_TOKENS } from '@/lib/contract/estimates'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { msg, t } from '@/lib/i18n/t'

/** `answers`: number of models that answer the same message and share what it may cost. */
type CapOptions = { isDayWaived?: boolean; answers?: number }

/**
 * Bounds a request so that its answer cannot exceed the spending limits of this browser. Files count by estimate, not
 * by their bytes. @throws CapReached when it may not be sent at all.
 */
export async function withinCaps(
  body: ChatBody,
  turns: RequestTurn[],
  sources: Sources | undefined,
  { isDayWaived = false, answers = 1 }: CapOptions = {},
): Promise<ChatBody> {
  if (!isDayWaived) await assertDay()
  const perMessage = parseCap(readPreference('capPerMessage'))
  if (perMessage === undefined) return body
  const perAnswer = nano(perMessage / BigInt(answers))
  // Without a price nothing can be bounded, so the prices are waited for.
  const models = await queryClient().ensureQueryData(modelsQuery())
  const model = models.find(({ id }) => id === body.model)
  const lookedUp = sourcesPrice(sources, turns.at(-1)?.text ?? '').high
  if (lookedUp >= perAnswer) {
    throw capReached(
      msg('Sources for this message may cost up to {cost}. Your cap is {cap} per message.'),
      lookedUp,
      perMessage,
    )
  }
  const read = await readAtMost(turns, model)
  const found = lookedUp > 0n ? WEB_TOKENS.upper : 0
  const tokens = promptTokens(promptedBy(body, turns)) + found + (await characterTokens(body))
  const fit = fitWithOtherCosts(perAnswer, nano(lookedUp + read), tokens, model?.price)
  if (fit.kind === 'free') return body
  if (fit.kind === 'bounded') {
    const wanted = body.max_completion_tokens ?? fit.maxOutputTokens
    return { ...body, max_completion_tokens: Math.min(wanted, fit.maxOutputTokens) }
  }
  throw capReached(
    msg('Even a short answer from this model may cost {cost}. Your cap is {cap} per message.'),
    fit.minimum,
    perMessage,
  )
}

const capReached = (text: string, cost: Usd, cap: Usd) =>
  new CapReached('CAP_PER_MESSAGE', t(text, { cost: formatExactMoney(cost), cap: formatExactMoney(cap) }))

async function readAtMost(turns: RequestTurn[], model: ModelCard | undefined): Promise<Usd> {
  const files = turns.flatMap(filesSent)
  if (!model?.readers || files.length === 0) return ZERO
  const hearing = needsHearing(files, model) ? await queryClient().ensureQueryData(hearingPricesQuery()) : undefined
  return readingPrice(files, model, hearing).max
}

/** Estimates the prompt of a public character; the longest possible where its profile cannot be loaded. */
async function characterTokens({ service_parameters: parameters }: ChatBody): Promise<number> {
  const slug = parameters?.character_slug
  if (typeof slug !== 'string') return 0
  const profile = await queryClient()
    .ensureQueryData(profileQuery(slug))
    .catch(() => undefined)
  return tokensOfBytes(profile?.promptBytes ?? LIMITS.prompt + LIMITS.contextMessages * LIMITS.contextMessage)
}

function promptedBy({ messages }: ChatBody, turns: RequestTurn[]) {
  const system = messages.flatMap(({ role, content }) =>
    role === 'system' && typeof content === 'string' ? [{ content }] : [],
  )
  return [...system, ...turns.map((turn) => ({ content: turn.text, attachments: filesSent(turn) }))]
}
