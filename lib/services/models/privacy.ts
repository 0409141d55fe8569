import 'server-only'
import ipaddr from 'ipaddr.js'
import type { EngineDefinition } from '@/lib/services/models/models-file'

/**
 * What may be promised of an engine when its operator says nothing: `private` where all of its addresses are on this
 * machine or a private network, else `anonymized`, for nobody here knows what a server elsewhere keeps.
 */
export function privacyOf(definition: EngineDefinition | undefined): 'private' | 'anonymized' {
  const isOurs = definition === undefined || definition.baseUrls.every((url) => isInternal(new URL(url).hostname))
  return isOurs ? 'private' : 'anonymized'
}

function isInternal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host))
    return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range())
  return !host.includes('.') || /\.(local|internal|lan|localhost)$/.test(host)
}
