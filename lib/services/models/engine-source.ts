import type { ModelEntry } from '@/lib/services/models/entry'
import type { EngineDefinition } from '@/lib/services/models/models-file'

/** An engine and the models that it serves, beside those of the models file. */
export type EngineSource = { engine: string; definition: EngineDefinition; entries: ModelEntry[] }
