import fc from 'fast-check'
import type { Draw } from '@/e2e/servers/fuzz/draw'
import type { JsonSchema } from '@/e2e/servers/fuzz/operations'

/** Values that a field of this name is likely to be taken with, where the schema cannot say: models, pictures, ids. */
export type Hints = Record<string, readonly unknown[]>

const HINTED_SHARE = 0.85
const OPTIONAL_SHARE = 0.3
const MAX_ITEMS = 3
const USUAL_CHARACTERS = 40
/** The longest text and list that an edge is made of. */
type Longest = { characters: number; items: number }
/** Many of them stay quick. */
const LONGEST: Longest = { characters: 70_000, items: 2_100 }

/** A value that fits a schema. */
export function valueFor(schema: JsonSchema, draw: Draw, hints: Hints, name = ''): unknown {
  const hinted = hints[name]
  if (hinted && draw.chance(HINTED_SHARE)) return draw.pick(hinted)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return draw.pick(schema.enum)
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices) return valueFor(draw.pick(choices), draw, hints, name)
  const type = Array.isArray(schema.type) ? draw.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return objectOf(schema, draw, hints)
    case 'array':
      return arrayOf(schema, draw, hints, name)
    case 'string':
      return textOf(schema, draw)
    case 'integer':
    case 'number':
      return numberOf(schema, draw, type === 'integer')
    case 'boolean':
      return draw.chance(0.5)
    case 'null':
      return null
    default:
      return draw.some(fc.jsonValue({ maxDepth: 2 }))
  }
}

function objectOf(schema: JsonSchema, draw: Draw, hints: Hints): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const required = new Set((schema.required ?? []) as string[])
  const named = Object.entries(properties).filter(([name]) => required.has(name) || draw.chance(OPTIONAL_SHARE))
  return Object.fromEntries(named.map(([name, property]) => [name, valueFor(property, draw, hints, name)]))
}

function arrayOf(schema: JsonSchema, draw: Draw, hints: Hints, name: string): unknown[] {
  const least = Number(schema.minItems ?? 0)
  const most = Math.min(Number(schema.maxItems ?? MAX_ITEMS), least + MAX_ITEMS)
  const length = least + draw.below(most - least + 1)
  // A list called `images` holds what one called `image` is.
  return Array.from({ length }, () => valueFor((schema.items ?? {}) as JsonSchema, draw, hints, name))
}

function textOf(schema: JsonSchema, draw: Draw): string {
  const { pattern, format } = schema
  if (typeof pattern === 'string') return draw.some(fc.stringMatching(new RegExp(pattern)))
  if (format === 'uuid') return draw.some(fc.uuid())
  if (format === 'date') return new Date(draw.below(2e12)).toISOString().slice(0, 10)
  if (format === 'date-time') return new Date(draw.below(2e12)).toISOString()
  const least = Number(schema.minLength ?? 0)
  const most = Math.min(Number(schema.maxLength ?? USUAL_CHARACTERS), least + USUAL_CHARACTERS)
  return draw.some(fc.string({ minLength: least, maxLength: most, unit: draw.pick(['grapheme', 'grapheme-ascii']) }))
}

function numberOf(schema: JsonSchema, draw: Draw, isInteger: boolean): number {
  const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1_000)
  const most = Number(schema.maximum ?? schema.exclusiveMaximum ?? Math.max(1_000, least))
  if (isInteger) return draw.some(fc.integer({ min: Math.ceil(least), max: Math.min(most, Number.MAX_SAFE_INTEGER) }))
  const options = { min: least, max: most, noNaN: true, minExcluded: 'exclusiveMinimum' in schema }
  return draw.some(fc.double({ ...options, maxExcluded: 'exclusiveMaximum' in schema }))
}

/** Values on the edges of a schema, and the first ones beyond. */
export function edgesOf(schema: JsonSchema, longest = LONGEST): unknown[] {
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices) return choices.flatMap((choice) => edgesOf(choice, longest))
  if (Array.isArray(schema.enum)) return schema.enum.flatMap(neighboursOf)
  if ('const' in schema) return neighboursOf(schema.const)
  const types = new Set([schema.type].flat())
  return [
    ...(types.has('string') ? textEdges(schema, longest) : []),
    ...(types.has('integer') || types.has('number') ? numberEdges(schema) : []),
    ...(types.has('array') ? listEdges(schema, longest) : []),
    ...(types.has('object') ? [{}, null] : []),
    ...(types.has('boolean') ? [true, false, 'true', 1, null] : []),
  ]
}

const neighboursOf = (value: unknown): unknown[] =>
  typeof value === 'string' ? [value, value.toUpperCase(), `${value} `, value.slice(1), ''] : [value, String(value)]

function textEdges({ minLength = 0, maxLength }: JsonSchema, { characters }: Longest): unknown[] {
  const lengths = [Number(minLength) - 1, Number(minLength), Number(maxLength), Number(maxLength) + 1]
  const possible = lengths.filter((length) => length >= 0 && length <= characters)
  return ['', ' ', '\n', '0', ...possible.map((length) => 'a'.repeat(length))]
}

function numberEdges(schema: JsonSchema): unknown[] {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((name) =>
    typeof schema[name] === 'number' ? [schema[name]] : [],
  )
  const near = bounds.flatMap((bound) => [bound, bound - 1, bound + 1, bound + 0.000_000_1, String(bound)])
  return [...near, 0, -0, 1, -1, 0.5]
}

function listEdges({ minItems = 0, maxItems, items = {} }: JsonSchema, longest: Longest): unknown[] {
  const [item] = edgesOf(items as JsonSchema)
  const lengths = [Number(minItems) - 1, Number(minItems), Number(maxItems), Number(maxItems) + 1]
  const possible = lengths.filter((length) => length >= 0 && length <= longest.items)
  return [[], [null], ...possible.map((length) => Array(length).fill(item ?? 'a'))]
}
