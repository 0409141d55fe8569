import 'server-only'
import type { Model } from '@/lib/services/models/model'

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
