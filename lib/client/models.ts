import { isRecord, text } from '@/lib/client/api'

/** A model as the picker shows it. Prices are dollars per million tokens; absent means free. */
export type ModelCard = {
  id: string
  name: string
  description: string
  contextTokens: number
  privacy: 'private' | 'anonymized'
  traits: string[]
  isOffline: boolean
  isBeta: boolean
  price?: { input: number; output: number; cachedInput?: number }
  badges: Badge[]
  /** ISO date after which the model is gone. */
  retiresAt?: string
}

export type Badge = 'reasons' | 'sees' | 'hears' | 'tools' | 'code'

const BADGE_OF_CAPABILITY: [capability: string, badge: Badge][] = [
  ['supportsReasoning', 'reasons'],
  ['supportsVision', 'sees'],
  ['supportsAudioInput', 'hears'],
  ['supportsFunctionCalling', 'tools'],
  ['optimizedForCode', 'code'],
]

/** Reads a reply of `GET /models`; a record without an id is left out. Source: API contract, models.md. */
export function modelCards(reply: unknown): ModelCard[] {
  const data = isRecord(reply) && Array.isArray(reply.data) ? reply.data : []
  return data.flatMap((record) => (isRecord(record) && text(record.id) ? [cardOf(String(record.id), record)] : []))
}

/** The model to ask: the one last chosen while it is there, else the service's own default, else the first. */
export function chosenModel(models: ModelCard[], wanted: string | undefined): ModelCard | undefined {
  const serving = models.filter((model) => !model.isOffline)
  return (
    serving.find((model) => model.id === wanted) ??
    serving.find((model) => model.traits.includes('default')) ??
    serving[0] ??
    models[0]
  )
}

/** The models whose name, id or badge holds every word of the search. */
export function searchModels(models: ModelCard[], search: string): ModelCard[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return models
  return models.filter((model) => {
    const haystack = `${model.name} ${model.id} ${model.badges.join(' ')} ${model.privacy}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

function cardOf(id: string, record: Record<string, unknown>): ModelCard {
  const spec = isRecord(record.model_spec) ? record.model_spec : {}
  const capabilities = isRecord(spec.capabilities) ? spec.capabilities : {}
  const deprecation = isRecord(spec.deprecation) ? spec.deprecation : {}
  const price = priceOf(spec.pricing)
  const retiresAt = text(deprecation.removesAt) ?? text(deprecation.date)
  return {
    id,
    name: text(spec.name) ?? id,
    description: text(spec.description) ?? '',
    contextTokens: Number(spec.availableContextTokens ?? record.context_length ?? 0) || 0,
    privacy: spec.privacy === 'private' ? 'private' : 'anonymized',
    traits: Array.isArray(spec.traits) ? spec.traits.filter((trait) => typeof trait === 'string') : [],
    isOffline: spec.offline === true,
    isBeta: spec.betaModel === true,
    badges: BADGE_OF_CAPABILITY.flatMap(([capability, badge]) => (capabilities[capability] === true ? [badge] : [])),
    ...(price && { price }),
    ...(retiresAt && { retiresAt }),
  }
}

function priceOf(pricing: unknown): ModelCard['price'] {
  if (!isRecord(pricing)) return undefined
  const input = dollars(pricing.input)
  const output = dollars(pricing.output)
  const cachedInput = dollars(pricing.cache_input)
  if (input === undefined || output === undefined) return undefined
  return { input, output, ...(cachedInput !== undefined && { cachedInput }) }
}

function dollars(price: unknown): number | undefined {
  return isRecord(price) && typeof price.usd === 'number' ? price.usd : undefined
}
