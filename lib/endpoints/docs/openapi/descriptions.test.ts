import { expect, test } from 'vitest'
import type { JsonSchema } from '@/lib/endpoints/docs/openapi/components'
import { openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { HEADERS } from '@/lib/endpoints/docs/openapi/headers'

const document = openApiDocument()

function silentFields(schema: JsonSchema, path: string): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const options = [schema.anyOf, schema.oneOf].flatMap((list) => (list as JsonSchema[] | undefined) ?? [])
  const parts = [schema.items, schema.additionalProperties].filter((part) => typeof part === 'object' && part !== null)
  return [
    ...properties.flatMap(([name, field]) => [
      ...(field.description !== undefined || isOneThing(field) ? [] : [`${path}.${name}`]),
      ...silentFields(field, `${path}.${name}`),
    ]),
    ...[...options, ...(parts as JsonSchema[])].flatMap((part) => silentFields(part, path)),
  ]
}

function isOneThing(field: JsonSchema): boolean {
  const real = ((field.anyOf ?? [field]) as JsonSchema[]).filter(({ type }) => type !== 'null')
  return real.every((one) => 'const' in one)
}

test('every field that is sent or answered is put into words', () => {
  const silent = Object.entries(document.components.schemas ?? {}).flatMap(([name, schema]) =>
    silentFields(schema, name),
  )
  expect([...new Set(silent)]).toEqual([])
})

test('every parameter is put into words', () => {
  type Parameter = { name: string; description?: string }
  const silent = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, parameters = [] }) =>
      (parameters as Parameter[]).filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
    ),
  )
  expect(silent).toEqual([])
})

test('every header is put into words', () => {
  for (const { description } of Object.values(HEADERS)) expect(description).toMatch(/\.$/)
})
