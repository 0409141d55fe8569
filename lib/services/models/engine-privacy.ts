import 'server-only'
import ipaddr from 'ipaddr.js'
import { config } from '@/lib/kernel/config'
import type { EngineDefinition } from '@/lib/services/models/models-file'

/**
 * Classifies an engine without a word from its operator: `private` where all of its addresses are on this machine or a
 * private network, else `anonymized`.
 */
export function privacyOf(definition: EngineDefinition | undefined): 'private' | 'anonymized' {
  const isOurs = definition === undefined || definition.baseUrls.every((url) => isInternal(new URL(url).hostname))
  return isOurs ? 'private' : 'anonymized'
}

export function isInternal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host))
    return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range())
  return !host.includes('.') || /\.(local|internal|lan|localhost)$/.test(host)
}

/**
 * Tells whether an engine's models are closed to the sandbox's test credit: an engine elsewhere, or one that takes a
 * key, may cost its operator money.
 */
export function refusesTestCredit(definition: EngineDefinition | undefined): boolean {
  if (!config().isSandbox || definition === undefined) return false
  const isFree = definition.apiKey === undefined && privacyOf(definition) === 'private'
  return !(definition.acceptsTestCredit ?? isFree)
}
