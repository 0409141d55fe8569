import 'server-only'
import { type Config, config } from '@/lib/kernel/config'
import { brave } from '@/lib/services/web/brave'
import { duckduckgo } from '@/lib/services/web/duckduckgo'
import type { ProviderSettings, SearchProvider } from '@/lib/services/web/provider'
import { searxng, searxngGoogle } from '@/lib/services/web/searxng'
import { tavily } from '@/lib/services/web/tavily'

export type SearchBackend = { name: string; ask: SearchProvider; settings: ProviderSettings }

const PROVIDERS: Record<Config['search']['provider'], SearchProvider> = { duckduckgo, searxng, brave, tavily }

export function serviceBackend(): SearchBackend {
  const { provider, url, apiKey } = config().search
  return { name: provider, ask: PROVIDERS[provider], settings: { url, apiKey } }
}

/**
 * Finds the SearXNG server that is asked for Google. Its key goes only to the server that it is for.  @returns
 * undefined where the operator has none.
 */
export function googleBackend(): SearchBackend | undefined {
  const { provider, url, apiKey, googleUrl } = config().search
  if (googleUrl !== undefined) return { name: 'google', ask: searxngGoogle, settings: { url: googleUrl } }
  return provider === 'searxng' ? { name: 'google', ask: searxngGoogle, settings: { url, apiKey } } : undefined
}
