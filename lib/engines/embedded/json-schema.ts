/**
 * JSON Schema as people write it → the subset that node-llama-cpp makes grammars of. Where the subset cannot say a
 * rule it is left out, so that the output is always valid JSON of the right shape, and mostly of the right content.
 * Runs in the child process.
 */
import type { GbnfJsonObjectSchema } from 'node-llama-cpp'
import { EngineError } from '../engine.ts'

type Schema = Record<string, unknown>

/**
 * A schema within the library's subset. The library's own type spells out each combination, which `convert` makes by
 * construction, and gets lost in its union; the type of objects stands for all of them.
 */
export type GrammarSchema = GbnfJsonObjectSchema

/** A schema's own bounds: grammars grow with both, and are walked for each token. */
const MAX_DEPTH = 24
const MAX_NODES = 1_000
/** llama.cpp refuses longer repetitions; a longer limit is as good as none for a small model. */
const MAX_REPETITION = 1_000

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null']
const FORMATS = ['date-time', 'time', 'date']

/** @throws EngineError `invalid-request` for a schema that is too large or is none. */
export function toGrammarSchema(schema: unknown): GrammarSchema {
  const walk: Walk = { nodes: 0 }
  const root = isObject(schema) ? schema : {}
  const definitions = isObject(root.$defs) ? root.$defs : isObject(root.definitions) ? root.definitions : {}
  const defs = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, convert(definition, walk, 1)]),
  )
  const converted = convert(schema, walk, 0)
  return (Object.keys(defs).length === 0 ? converted : { ...converted, $defs: defs }) as GrammarSchema
}

type Walk = { nodes: number }

function convert(schema: unknown, walk: Walk, depth: number): Schema {
  walk.nodes++
  if (depth > MAX_DEPTH || walk.nodes > MAX_NODES) {
    throw new EngineError(
      'invalid-request',
      `The JSON schema is too large for this model (${MAX_DEPTH} levels, ${MAX_NODES} parts).`,
    )
  }
  if (schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return anyValue()
  if (!isObject(schema)) throw new EngineError('invalid-request', 'The JSON schema is not an object.')
  const inner = (value: unknown) => convert(value, walk, depth + 1)

  if (typeof schema.$ref === 'string') return reference(schema.$ref)
  if (isScalar(schema.const)) return { const: schema.const }
  if (Array.isArray(schema.enum)) return { enum: schema.enum.filter(isScalar) }
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives) && alternatives.length > 0) return { oneOf: alternatives.map(inner) }
  if (Array.isArray(schema.allOf) && schema.allOf.length > 0) return inner(merge(schema))
  return byType(schema, inner)
}

function byType(schema: Schema, inner: (value: unknown) => Schema): Schema {
  const types = typesOf(schema)
  if (types.length > 1) {
    if (types.every((type) => SCALARS.includes(type))) return { type: types }
    return { oneOf: types.map((type) => inner({ ...schema, type })) }
  }
  const [type] = types
  if (type === 'object') return objectOf(schema, inner)
  if (type === 'array') return arrayOf(schema, inner)
  if (type === 'string') return stringOf(schema)
  return type !== undefined && SCALARS.includes(type) ? { type } : anyValue()
}

function typesOf({ type, properties, items, nullable }: Schema): string[] {
  const named = [type].flat().filter((one): one is string => typeof one === 'string')
  if (named.length === 0 && isObject(properties)) named.push('object')
  if (named.length === 0 && items !== undefined) named.push('array')
  if (nullable === true && named.length > 0 && !named.includes('null')) named.push('null')
  return named
}

/** All properties are written, also optional ones: the library's grammars know no other way. */
function objectOf({ properties, additionalProperties }: Schema, inner: (value: unknown) => Schema): Schema {
  const entries = Object.entries(isObject(properties) ? properties : {})
  const others = isObject(additionalProperties)
    ? inner(additionalProperties)
    : entries.length === 0 && additionalProperties !== false
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, value]) => [key, inner(value)])),
    additionalProperties: others,
  }
}

function arrayOf({ items, prefixItems, minItems, maxItems }: Schema, inner: (value: unknown) => Schema): Schema {
  return {
    type: 'array',
    ...(isObject(items) && { items: inner(items) }),
    ...(Array.isArray(prefixItems) && { prefixItems: prefixItems.map(inner) }),
    ...bound('minItems', minItems),
    ...bound('maxItems', maxItems),
  }
}

function stringOf({ format, minLength, maxLength }: Schema): Schema {
  if (typeof format === 'string' && FORMATS.includes(format)) return { type: 'string', format }
  return { type: 'string', ...bound('minLength', minLength), ...bound('maxLength', maxLength) }
}

function bound(name: string, value: unknown): Schema {
  return typeof value === 'number' && value >= 0 && value <= MAX_REPETITION ? { [name]: Math.floor(value) } : {}
}

/** One schema of several that all hold: objects' properties together, later words over earlier ones. */
function merge({ allOf, ...own }: Schema): Schema {
  const parts = [...(allOf as unknown[]).filter(isObject), own]
  const properties = Object.assign({}, ...parts.map((part) => part.properties).filter(isObject))
  return { ...Object.assign({}, ...parts), ...(Object.keys(properties).length > 0 && { properties }) }
}

function reference(ref: string): Schema {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1]
  if (name === undefined)
    throw new EngineError('invalid-request', `The JSON schema refers to ${ref}; only #/$defs/NAME is known here.`)
  return { $ref: `#/$defs/${name}` }
}

function anyValue(): Schema {
  return {
    oneOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'object', additionalProperties: true },
      { type: 'array' },
    ],
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
