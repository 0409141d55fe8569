import 'server-only'
import type { ServiceParameters } from '@/lib/contract/chat.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'

/** Source: API contract, chat.md 3 and 4. `enable_e2ee` is accepted and has no effect, like a name that is unknown. */
const KEYS: Record<string, 'boolean' | 'search' | 'text'> = {
  character_slug: 'text',
  strip_thinking_response: 'boolean',
  disable_thinking: 'boolean',
  enable_web_search: 'search',
  enable_web_scraping: 'boolean',
  enable_x_search: 'boolean',
  enable_web_citations: 'boolean',
  include_search_results_in_stream: 'boolean',
  return_search_results_as_documents: 'boolean',
  include_service_system_prompt: 'boolean',
}

const MAX_PAIRS = 32
const MAX_TEXT_CHARACTERS = 200

/**
 * Splits a model name into the name and the options of its suffix. The suffix begins at the `:` before the first key:
 * the last one before a `=`. Every other colon belongs to the id.
 *
 * @throws ApiError INVALID_REQUEST when a known option has a value that it does not take.
 * @example parseModelName('llama3.2:3b:enable_web_search=on') // { base: 'llama3.2:3b', parameters: { enable_web_search: 'on' } }
 */
export function parseModelName(name: string): { base: string; parameters: Partial<ServiceParameters> } {
  const base = withoutSuffix(name)
  if (base === name) return { base, parameters: {} }
  const parameters: Record<string, string | boolean> = {}
  const pairs = name.slice(base.length + 1).split('&', MAX_PAIRS + 1)
  if (pairs.length > MAX_PAIRS) throw invalidField(['model'], `has more than ${MAX_PAIRS} options in its suffix`)
  for (const pair of pairs) {
    const [key = '', value = ''] = halves(pair)
    const kind = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
    if (kind === undefined) continue
    parameters[key] = parseValue(key, kind, decode(key, value))
  }
  return { base, parameters }
}

/** Drops the suffix, for endpoints where it has no effect (contract, chat.md 4). */
export function withoutSuffix(name: string): string {
  const equals = name.indexOf('=')
  const split = equals < 0 ? -1 : name.lastIndexOf(':', equals)
  return split < 0 ? name : name.slice(0, split)
}

function halves(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
}

function decode(key: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    throw fault(key, 'is not percent-encoded text', cause)
  }
}

function parseValue(key: string, kind: 'boolean' | 'search' | 'text', value: string): string | boolean {
  if (kind === 'text') {
    if (value !== '' && value.length <= MAX_TEXT_CHARACTERS) return value
    throw fault(key, `must have 1 to ${MAX_TEXT_CHARACTERS} characters`)
  }
  if (kind === 'search') {
    // As in the body, JSON's booleans stand for on and off.
    const mode = value === 'true' ? 'on' : value === 'false' ? 'off' : value
    if (['off', 'on', 'auto'].includes(mode)) return mode
    throw fault(key, 'must be off, on or auto')
  }
  if (value === 'true' || value === 'false') return value === 'true'
  throw fault(key, 'must be true or false')
}

function fault(key: string, message: string, cause?: unknown): ApiError {
  return new ApiError('INVALID_REQUEST', 'Invalid request parameters', {
    issues: [{ code: 'custom', path: ['model'], message: `${key} in the suffix ${message}` }],
    cause,
  })
}
