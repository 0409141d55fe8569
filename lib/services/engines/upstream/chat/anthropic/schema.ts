import 'server-only'
import { isWireObject, type WireObject } from '@/lib/services/engines/upstream/wire-value'

const MAX_DEPTH = 64
/** Keywords whose values are schemas by name, lists of schemas, and one schema. */
const BY_NAME = ['properties', '$defs', 'definitions']
const LISTS = ['anyOf', 'allOf', 'oneOf']
const AS_THEY_ARE = ['$ref', 'type', 'title', 'description', 'enum', 'const', 'default', 'required']
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/**
 * Writes a JSON schema in the part of the language that structured output knows: objects are closed, and limits on
 * numbers, lengths and patterns become words of the description. Source: anthropic-sdk-typescript,
 * `transform-json-schema`.
 */
export function closedSchema(schema: unknown, depth = 0): unknown {
  if (!isWireObject(schema) || depth > MAX_DEPTH) return schema
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref }
  const closed: WireObject = {}
  const limits: string[] = []
  for (const [name, value] of Object.entries(schema)) {
    if (AS_THEY_ARE.includes(name)) closed[name] = value
    else if (BY_NAME.includes(name) && isWireObject(value)) {
      closed[name] = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closedSchema(one, depth + 1)]))
    } else if (LISTS.includes(name) && Array.isArray(value)) {
      closed[name === 'oneOf' ? 'anyOf' : name] = value.map((one) => closedSchema(one, depth + 1))
    } else if (name === 'items') closed.items = closedSchema(value, depth + 1)
    else if (isKnownLimit(name, value)) closed[name] = value
    else if (name !== 'additionalProperties' && !name.startsWith('$')) limits.push(`${name}: ${JSON.stringify(value)}`)
  }
  if (schema.type === 'object' || isWireObject(schema.properties)) closed.additionalProperties = false
  if (limits.length > 0)
    closed.description = [closed.description, `{${limits.join(', ')}}`].filter(Boolean).join('\n\n')
  return closed
}

const isKnownLimit = (name: string, value: unknown): boolean =>
  (name === 'format' && FORMATS.has(String(value))) || (name === 'minItems' && (value === 0 || value === 1))
