/** The wire forms that a server can be spoken to in. */
export const ENGINE_KINDS = ['openai', 'anthropic', 'google'] as const
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** Where a vendor's own form is served. Servers of the OpenAI form have no usual place. */
export const PUBLIC_BASE_URLS: Partial<Record<EngineKind, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
}

const API_VERSIONS: Partial<Record<EngineKind, string>> = { anthropic: 'v1', google: 'v1beta' }

/**
 * Completes a base URL with the version of a vendor's API, which the vendors' own clients leave out.
 *
 * @example versionedBaseUrl('anthropic', 'https://api.anthropic.com') // 'https://api.anthropic.com/v1'
 */
export function versionedBaseUrl(kind: EngineKind, url: string): string {
  const version = API_VERSIONS[kind]
  if (version === undefined) return url
  const base = url.replace(/\/+$/, '')
  return /\/v\d+\w*$/.test(base) ? base : `${base}/${version}`
}

/** Header and value of the Messages API that this service is written for. */
export const ANTHROPIC_VERSION = ['anthropic-version', '2023-06-01'] as const

/** Lists the headers, name and value in turn, that carry a key in this form. */
export function keyHeaders(kind: EngineKind, apiKey: string): string[] {
  switch (kind) {
    case 'openai':
      return ['authorization', `Bearer ${apiKey}`]
    case 'anthropic':
      return ['x-api-key', apiKey]
    case 'google':
      return ['x-goog-api-key', apiKey]
  }
}
