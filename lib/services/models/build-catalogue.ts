import 'server-only'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import type { Model } from '@/lib/services/models/model'

const DEFAULT_EMBEDDING_ALIAS = 'text-embedding-ada-002'

export type Catalogue = {
  readonly byId: ReadonlyMap<string, Model>
  list(type: ModelType | 'all' | 'code', now: number): Model[]
  /** Trait → model. A trait of a retired model passes to its replacement, or to the newest that anyone can use. */
  traits(type: ModelType, now: number): ReadonlyMap<string, Model>
  /** Foreign id → model, retired ones included: they are resolved like any other name. */
  aliases(type: ModelType): ReadonlyMap<string, Model>
}

export function buildCatalogue(models: readonly Model[]): Catalogue {
  const byId = new Map(models.map((model) => [model.id, model]))
  const newestFirst = [...models].sort((a, b) => createdOf(b) - createdOf(a))
  const ofType = (type: ModelType) => newestFirst.filter((model) => model.type === type)
  const heir = (type: ModelType, now: number) => {
    const live = ofType(type).filter((model) => !isRetired(model, now))
    return live.find(isForAll) ?? live[0]
  }
  const traitHolders = new Map(MODEL_TYPES.map((type) => [type, traitsOf(models.filter((one) => one.type === type))]))
  const aliasHolders = new Map(MODEL_TYPES.map((type) => [type, aliasesOf(type, ofType(type), traitHolders.get(type))]))

  return {
    byId,
    list(type, now) {
      const listed = newestFirst.filter((model) => !isRetired(model, now))
      if (type === 'all') return listed
      if (type === 'code') return listed.filter((model) => model.capabilities.optimizedForCode === true)
      return listed.filter((model) => model.type === type)
    },
    traits(type, now) {
      const held = new Map<string, Model>()
      for (const [trait, model] of traitHolders.get(type) ?? []) {
        const holder = isRetired(model, now) ? (replacementOf(model, byId, now) ?? heir(type, now)) : model
        if (holder) held.set(trait, holder)
      }
      return held
    },
    aliases: (type) => aliasHolders.get(type) ?? new Map(),
  }
}

const isForAll = (model: Model): boolean => model.access === 'everyone' && !model.isOffline && !model.regions
const createdOf = (model: Model): number => model.record.created as number

function traitsOf(models: Model[]): Map<string, Model> {
  const traits = new Map(models.flatMap((model) => model.traits.map((trait) => [trait, model] as const)))
  const [first] = models
  if (first !== undefined && !traits.has('default')) traits.set('default', first)
  return traits
}

function aliasesOf(type: ModelType, models: Model[], traits?: Map<string, Model>): Map<string, Model> {
  const aliases = new Map(models.flatMap((model) => model.aliases.map((alias) => [alias, model] as const)))
  const standard = traits?.get('default')
  if (type === 'embedding' && standard && !aliases.has(DEFAULT_EMBEDDING_ALIAS)) {
    aliases.set(DEFAULT_EMBEDDING_ALIAS, standard)
  }
  return aliases
}

/** Lists what is wrong between models: names that collide, references that lead nowhere. */
export function faultsOf(models: readonly Model[], engines: ReadonlySet<string>): string[] {
  const faults: string[] = []
  const byId = new Map<string, Model>()
  for (const model of models) {
    if (byId.has(model.id)) faults.push(`${model.id}: two models have this id`)
    byId.set(model.id, model)
  }
  const names = new Map<string, Model>()
  for (const model of models) {
    if (!engines.has(model.engine)) faults.push(`${model.id}: there is no engine ${model.engine}`)
    for (const name of [...model.traits, ...model.aliases]) {
      const other = byId.get(name) ?? names.get(`${model.type}\n${name}`)
      if (other !== undefined) faults.push(`${model.id}: ${name} is already a name of ${other.id}`)
      names.set(`${model.type}\n${name}`, model)
    }
    for (const id of [...model.fallbacks, model.deprecation?.replacementModelId]) {
      if (id !== undefined) faults.push(...referenceFaults(model, id, byId))
    }
    faults.push(...capabilityFaults(model))
  }
  return faults
}

function referenceFaults(model: Model, id: string, byId: Map<string, Model>): string[] {
  const other = byId.get(id)
  if (id === model.id) return [`${model.id}: refers to itself`]
  if (other === undefined) return [`${model.id}: there is no model ${id}`]
  return other.type === model.type ? [] : [`${model.id}: ${id} is of another type (${other.type})`]
}

function capabilityFaults({ id, type, capabilities, contextTokens, maxCompletionTokens }: Model): string[] {
  if (type !== 'text') return []
  const faults: string[] = []
  const { reasoningEffortOptions: efforts, defaultReasoningEffort: effort } = capabilities
  if (capabilities.supportsResponseSchema && !capabilities.supportsFunctionCalling) {
    faults.push(`${id}: supportsResponseSchema needs supportsFunctionCalling`)
  }
  if ((efforts || effort) && !capabilities.supportsReasoningEffort) {
    faults.push(`${id}: reasoningEffortOptions and defaultReasoningEffort need supportsReasoningEffort`)
  }
  if (effort && !efforts?.includes(effort)) {
    faults.push(`${id}: defaultReasoningEffort is not among reasoningEffortOptions`)
  }
  if (maxCompletionTokens > contextTokens) faults.push(`${id}: maxCompletionTokens is more than contextTokens`)
  return faults
}

const MAX_HOPS = 10

/**
 * Tells whether a model is past its removal: unlisted, and served only by its replacement. `now` in Unix milliseconds.
 */
export function isRetired(model: Model, now: number): boolean {
  return model.deprecation !== undefined && now >= model.deprecation.removesAt.getTime()
}

export function isAnnounced(model: Model, now: number): boolean {
  const { deprecation } = model
  if (deprecation === undefined || isRetired(model, now)) return false
  return deprecation.startsAt === undefined || now >= deprecation.startsAt.getTime()
}

export function replacementOf(model: Model, byId: ReadonlyMap<string, Model>, now: number): Model | undefined {
  let current: Model | undefined = model
  for (let hop = 0; hop < MAX_HOPS && current !== undefined && isRetired(current, now); hop++) {
    current = byId.get(current.deprecation?.replacementModelId ?? '')
  }
  return current !== undefined && current !== model && !isRetired(current, now) ? current : undefined
}
