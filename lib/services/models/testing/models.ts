import { installEngines } from '@/lib/services/engines/registry'
import { buildCatalogue, faultsOf } from '@/lib/services/models/catalogue'
import { ModelEntry, type ModelEntryInput } from '@/lib/services/models/entry'
import { type Model, modelOf } from '@/lib/services/models/model'
import type { EngineDefinition } from '@/lib/services/models/models-file'

type TextInput = Partial<Extract<ModelEntryInput, { type: 'text' }>>

export const textModel = (fields: TextInput & { id: string }): Model =>
  model({ type: 'text', engine: 'house', ...fields })

export const model = (input: ModelEntryInput): Model => modelOf(ModelEntry.parse(input), { privacy: 'private' })

export async function installModels(models: Model[], engines: Record<string, EngineDefinition> = {}): Promise<void> {
  const faults = faultsOf(models, new Set(models.map(({ engine }) => engine)))
  if (faults.length > 0) throw new Error(faults.join('\n'))
  await installEngines(engines, new Set())
  const loaded = { catalogue: buildCatalogue(models), given: { engines, entries: [] }, local: [] }
  Object.assign(globalThis, { __serviceCatalogue: loaded })
}
