import { asList, type Loose, text } from '@/lib/browser/api'
import type { ChatSettings } from '@/lib/browser/storage/records'
import { MAX_PER_MESSAGE } from '@/lib/contract/limits'
import type { AssistsReply, ModelType } from '@/lib/contract/models'
import type { ModelOf } from '@/lib/contract/models.schema'
import { t } from '@/lib/i18n/t'

/** What every screen shows of a model, whatever its type. */
export type NamedModel = Availability & {
  id: string
  name: string
  description: string
  privacy: 'private' | 'anonymized'
  isBeta: boolean
  /** ISO date. */
  retiresAt?: string
}

/** A model as the picker shows it. Prices are dollars per million tokens; absent means free. */
export type ModelCard = NamedModel & {
  contextTokens: number
  traits: string[]
  isDemo: boolean
  price?: { input: number; output: number; cachedInput?: number }
  badges: Badge[]
  takes: Takes
  readers?: Readers
  supportsWebSearch: boolean
  supportsXSearch: boolean
  efforts: Effort[]
  defaultEffort?: string
  /** 0 where it is not known. */
  maxOutputTokens: number
}

export type Effort = NonNullable<ChatSettings['effort']>

/** How a file reaches a model: as it is, read for it by another model, or not at all. */
type Way = 'itself' | 'assisted' | false

/** What a model takes of each kind; counts are per message. Source: API contract, chat.md 2 and 7. */
type Takes = {
  images: Way
  audio: Way
  video: Way
  documents: Way
  maxFiles: { images: number; audio: number; video: number; documents: number }
}

export type Readers = { images?: { price?: ModelCard['price']; maxOutputTokens: number }; audio?: string }

export type Assists = Readonly<AssistsReply['data']>

export const EFFORTS: readonly Effort[] = ['minimal', 'low', 'medium', 'high']

export type Badge = 'reasoning' | 'vision' | 'audio' | 'video' | 'tools' | 'code' | 'search'

const BADGE_OF_CAPABILITY: [capability: keyof Capabilities, badge: Badge][] = [
  ['supportsReasoning', 'reasoning'],
  ['supportsVision', 'vision'],
  ['supportsAudioInput', 'audio'],
  ['supportsVideoInput', 'video'],
  ['supportsFunctionCalling', 'tools'],
  ['optimizedForCode', 'code'],
  ['supportsWebSearch', 'search'],
]

/** A model of a reply of `GET /models`. Source: API contract, models.md. */
export type ModelReply<T extends ModelType> = Omit<Loose<ModelOf<T>>, 'id' | 'model_spec'> & {
  id: string
  model_spec: ModelSpec<T>
}
export type ModelSpec<T extends ModelType> = Loose<ModelOf<T>['model_spec']>
type Capabilities = Loose<ModelOf<'text'>['model_spec']['capabilities']>

/** Lists the models of a reply of `GET /models`; a record without an id is left out. */
export function modelsOf<T extends ModelType>(reply: unknown): ModelReply<T>[] {
  return asList<ModelReply<ModelType>>(reply)
    .filter(({ id }) => text(id) !== undefined)
    .map((record) => ({ model_spec: {}, ...record }) as ModelReply<T>)
}

/**
 * Parses a reply of `GET /models`.
 * @param assists which models read for others; without it only what models take themselves is known.
 */
export function modelCards(reply: unknown, assists: Assists = {}): ModelCard[] {
  const cards = modelsOf<'text'>(reply).map((record) => cardOf(record, assists[record.id]))
  return cards.map((card) => withReaders(card, cards, assists[card.id]))
}

/** Chooses the model: the one last chosen while it serves, else the service's default, else the first. */
export function chosenModel(models: ModelCard[], wanted: string | undefined): ModelCard | undefined {
  const serving = models.filter((model) => !model.isOffline)
  return (
    serving.find((model) => model.id === wanted) ??
    serving.find((model) => model.traits.includes('default')) ??
    serving[0] ??
    models[0]
  )
}

export function searchModels(models: ModelCard[], search: string): ModelCard[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return models
  return models.filter((model) => {
    const haystack = `${model.name} ${model.id} ${model.badges.join(' ')} ${model.privacy}`.toLowerCase()
    return terms.every((word) => haystack.includes(word))
  })
}

export function namedIn({ id, model_spec: spec }: Pick<ModelReply<ModelType>, 'id' | 'model_spec'>): NamedModel {
  const { deprecation } = spec
  return {
    id,
    name: text(spec.name) ?? id,
    description: text(spec.description) ?? '',
    privacy: spec.privacy === 'private' ? 'private' : 'anonymized',
    ...availabilityOf(spec),
    isBeta: spec.betaModel === true,
    retiresAt: text(deprecation?.removesAt) ?? text(deprecation?.date),
  }
}

function cardOf(record: ModelReply<'text'>, assists: Assists[string] = {}): ModelCard {
  const { model_spec: spec } = record
  const { capabilities = {} } = spec
  const price = priceOf(spec.pricing)
  const defaultEffort = text(capabilities.defaultReasoningEffort)
  return {
    ...namedIn(record),
    contextTokens: Number(spec.availableContextTokens ?? record.context_length ?? 0) || 0,
    traits: spec.traits ?? [],
    isDemo: spec.demo === true,
    badges: BADGE_OF_CAPABILITY.flatMap(([capability, badge]) => (capabilities[capability] === true ? [badge] : [])),
    takes: takesOf(capabilities, assists),
    supportsWebSearch: capabilities.supportsWebSearch === true,
    supportsXSearch: capabilities.supportsXSearch === true,
    efforts: effortsOf(capabilities),
    ...(defaultEffort && { defaultEffort }),
    maxOutputTokens: Number(spec.maxCompletionTokens ?? 0) || 0,
    ...(price && { price }),
  }
}

function withReaders(card: ModelCard, cards: ModelCard[], { images, audio }: Assists[string] = {}): ModelCard {
  const reader = card.takes.images === 'assisted' ? cards.find(({ id }) => id === images) : undefined
  const listener = card.takes.audio === 'assisted' ? text(audio) : undefined
  if (!reader && !listener) return card
  const { price, maxOutputTokens = 0 } = reader ?? {}
  return {
    ...card,
    readers: {
      ...(reader && { images: { maxOutputTokens, ...(price && { price }) } }),
      ...(listener && { audio: listener }),
    },
  }
}

/** As the service routes media: a video goes whole to models that take video, else as frames and audio. */
function takesOf(capabilities: Capabilities, assists: Assists[string]): Takes {
  const seesItself = capabilities.supportsVision === true
  const images = seesItself ? 'itself' : text(assists.images) ? 'assisted' : false
  const audio = capabilities.supportsAudioInput === true ? 'itself' : text(assists.audio) ? 'assisted' : false
  const video = capabilities.supportsVideoInput === true ? 'itself' : images || audio ? 'assisted' : false
  const maxFiles = {
    ...MAX_PER_MESSAGE,
    ...(seesItself && {
      images: maxFilesOf(capabilities.maxImages, capabilities.supportsMultipleImages === true, 'images'),
    }),
    ...(video === 'itself' && { video: maxFilesOf(capabilities.maxVideos, true, 'video') }),
  }
  return { images, audio, video, documents: 'itself', maxFiles }
}

function maxFilesOf(own: number | undefined, takesSeveral: boolean, kind: 'images' | 'video'): number {
  if (!takesSeveral) return 1
  return own !== undefined && own > 0 ? Math.min(own, MAX_PER_MESSAGE[kind]) : MAX_PER_MESSAGE[kind]
}

function effortsOf({ reasoningEffortOptions: options = [] }: Capabilities): Effort[] {
  return EFFORTS.filter((effort) => options.includes(effort))
}

function priceOf(pricing: ModelSpec<'text'>['pricing']): ModelCard['price'] {
  const [input, output, cachedInput] = [pricing?.input?.usd, pricing?.output?.usd, pricing?.cache_input?.usd]
  if (input === undefined || output === undefined) return undefined
  return { input, output, ...(cachedInput !== undefined && { cachedInput }) }
}

export type Availability = { isOffline: boolean; refusesTestCredit?: true }

/** In a sandbox everybody has test credit only. Source: API contract, models.md. */
export function availabilityOf(spec: Pick<ModelSpec<ModelType>, 'offline' | 'acceptsTestCredit'>): Availability {
  if (spec.offline === true) return { isOffline: true }
  return spec.acceptsTestCredit === false ? { isOffline: true, refusesTestCredit: true } : { isOffline: false }
}

export const unavailableMessage = ({ name, refusesTestCredit }: Availability & { name: string }): string =>
  refusesTestCredit
    ? t('{model} is not available with test credit.', { model: name })
    : t('{model} is currently unavailable.', { model: name })
