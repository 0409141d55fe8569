import type { JsonSchema } from '@/lib/endpoints/docs/openapi/components'
import { ACCOUNT_WORDS } from '@/lib/endpoints/docs/openapi/words/account'
import { CHAT_WORDS } from '@/lib/endpoints/docs/openapi/words/chat'
import { MEDIA_WORDS } from '@/lib/endpoints/docs/openapi/words/media'
import { MODEL_WORDS } from '@/lib/endpoints/docs/openapi/words/models'
import { SHARED_WORDS } from '@/lib/endpoints/docs/openapi/words/shared'
import type { WordTable } from '@/lib/endpoints/docs/openapi/words/words'

const TABLE: WordTable = { ...CHAT_WORDS, ...MEDIA_WORDS, ...ACCOUNT_WORDS, ...MODEL_WORDS }

/**
 * What a field means: what is said of it by its whole path, else by the end of it, first in its own component, then for all.
 *
 * @param owner the component, or the operation whose parameter it is.
 */
export function wordsOf(owner: string, path: readonly string[]): string | undefined {
  const own = (Object.hasOwn(TABLE, owner) && TABLE[owner]) || {}
  for (const words of [own, SHARED_WORDS]) {
    for (let from = 0; from < path.length; from++) {
      const place = path.slice(from).join('.')
      if (Object.hasOwn(words, place)) return words[place]
    }
  }
  return undefined
}

/** A component with words on its fields. What the schema itself says stays. */
export const withWords = (owner: string, schema: JsonSchema): JsonSchema => worded(schema, owner, [])

const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const PARTS = ['items', 'additionalProperties'] as const

function worded(schema: JsonSchema, owner: string, path: readonly string[]): JsonSchema {
  const made: JsonSchema = { ...schema }
  const inner = (value: unknown) =>
    typeof value === 'object' && value !== null ? worded(value as JsonSchema, owner, path) : value
  for (const name of LISTS) if (Array.isArray(schema[name])) made[name] = (schema[name] as unknown[]).map(inner)
  for (const name of PARTS) if (name in schema) made[name] = inner(schema[name])
  if (schema.properties) {
    const properties = Object.entries(schema.properties as Record<string, JsonSchema>)
    made.properties = Object.fromEntries(
      properties.map(([name, field]) => [name, fieldWithWords(field, owner, [...path, name])]),
    )
  }
  return made
}

function fieldWithWords(schema: JsonSchema, owner: string, path: readonly string[]): JsonSchema {
  const made = worded(schema, owner, path)
  const description = made.description ?? (isFixed(schema) ? undefined : wordsOf(owner, path))
  return description === undefined ? made : { ...made, description }
}

/** Says all there is to say by itself. */
const isFixed = (schema: JsonSchema): boolean => 'const' in schema
