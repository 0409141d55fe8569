import 'server-only'
import { config } from '@/lib/kernel/config'
import type { EngineDefinition } from '@/lib/services/models/models-file'
import { privacyOf } from '@/lib/services/models/privacy'

/**
 * Whether the engine's models are closed to test credit: the sandbox gives that to every visitor, and an engine elsewhere, or
 * one that takes a key, may cost its operator money. Embedded models and keyless servers of one's own do not.
 */
export function refusesTestCredit(definition: EngineDefinition | undefined): boolean {
  if (!config().isSandbox || definition === undefined) return false
  const isFree = definition.apiKey === undefined && privacyOf(definition) === 'private'
  return !(definition.acceptsTestCredit ?? isFree)
}
