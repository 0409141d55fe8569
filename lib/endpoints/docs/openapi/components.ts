import { z } from 'zod'
import type { NamedSchema } from '@/lib/endpoints/docs/openapi/operation'

export type JsonSchema = Record<string, unknown>

type Direction = 'input' | 'output'

const NAMED_FORMATS = new Set(['date-time', 'date', 'uuid', 'base64'])

export const referenceTo = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` })

/**
 * Converts schemas to JSON Schema by their names and keeps references between them. @throws Error when two schemas have
 * one name.
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

/** Restricts the scheme: `uri` alone allows any, also without a host. */
function schemePattern({ _zod }: z.ZodURL): string | undefined {
  return _zod.def.protocol?.source.replace(/\$$/, '://')
}

function bare(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _address, ...rest } = schema as JsonSchema
  return rest
}

/**
 * Describes query and form fields by the value that their text stands for: a number where digits become one. A value
 * without a JSON form keeps its text form.
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
