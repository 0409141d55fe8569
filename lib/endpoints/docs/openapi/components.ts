import { z } from 'zod'
import type { NamedSchema } from '@/lib/endpoints/docs/openapi/operation'

export type JsonSchema = Record<string, unknown>

/** A value is described as it is sent (`input`), or as it is answered (`output`). */
type Direction = 'input' | 'output'

/** Formats whose names say enough; the validator writes long patterns beside them. */
const NAMED_FORMATS = new Set(['date-time', 'date', 'uuid', 'base64'])

export const referenceTo = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` })

/**
 * Schemas as JSON Schema by their names, each other's references kept.
 *
 * @throws Error when two schemas have one name.
 */
export function schemasOf(named: Iterable<NamedSchema>, io: Direction): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  const names = new Map<string, z.ZodType>()
  for (const { name, schema } of named) {
    const known = names.get(name)
    if (known === schema) continue
    if (known) throw new Error(`two schemas are called ${name}`)
    names.set(name, schema)
    registry.add(schema, { id: name })
  }
  const { schemas } = z.toJSONSchema(registry, { ...options(io), uri: (name) => referenceTo(name).$ref })
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]))
}

/** One schema that stands alone. */
const schemaOf = (schema: z.ZodType, io: Direction): JsonSchema => bare(z.toJSONSchema(schema, options(io)))

function options(io: Direction) {
  return {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: JsonSchema }) => {
      if (zodSchema instanceof z.ZodURL) jsonSchema.pattern = schemePattern(zodSchema)
      if (NAMED_FORMATS.has(String(jsonSchema.format))) delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  } as const
}

/** Which addresses a field takes: `uri` alone would let any scheme in, and one that no host follows. */
function schemePattern({ _zod }: z.ZodURL): string | undefined {
  return _zod.def.protocol?.source.replace(/\$$/, '://')
}

/** The document says for all of its schemas which dialect they are of, and where they are. */
function bare(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _address, ...rest } = schema as JsonSchema
  return rest
}

/**
 * The fields of a query or a form, which are sent as text, as what that text stands for: a number where digits become one.
 * What has no JSON form after it was read keeps the form that it is sent in.
 */
export function fieldsOf(schema: z.ZodType): { name: string; schema: JsonSchema; isRequired: boolean }[] {
  const sent = schemaOf(schema, 'input')
  const read = schemaOf(schema, 'output')
  const properties = (sent.properties ?? {}) as Record<string, JsonSchema>
  const required = new Set((sent.required as string[] | undefined) ?? [])
  const readAs = (read.properties ?? {}) as Record<string, JsonSchema>
  return Object.entries(properties).map(([name, asSent]) => {
    const asRead = readAs[name]
    const isNumber = asRead?.type === 'integer' || asRead?.type === 'number'
    return { name, schema: isNumber ? asRead : asSent, isRequired: required.has(name) }
  })
}
