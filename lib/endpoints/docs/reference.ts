import 'server-only'
import { STATUS_CODES } from 'node:http'
import {
  type DocumentedBody,
  type DocumentedError,
  type DocumentedHeader,
  type DocumentedOperation,
  type DocumentedReply,
  groupHref,
  type Homes,
  type NamedShape,
  operationHref,
  type ParameterList,
  slugOf,
} from '@/lib/contract/docs'
import type { JsonSchema } from '@/lib/endpoints/docs/openapi/components'
import { GROUPS, openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { bodiesOf, codesByStatus, ERROR_SCHEMAS } from '@/lib/endpoints/docs/openapi/errors'
import { HEADERS, headersOfReply } from '@/lib/endpoints/docs/openapi/headers'
import type { Group, NamedSchema, Operation } from '@/lib/endpoints/docs/openapi/operation'
import { type Components, parameterField, shapeOf } from '@/lib/endpoints/docs/shape'

export type Reference = {
  groups: ReferenceGroup[]
  errorShapes: NamedShape[]
  homes: Homes
}

type ReferenceGroup = {
  slug: string
  href: string
  name: string
  about: string
  operations: DeclaredOperation[]
}

export type DeclaredOperation = DocumentedOperation & { declared: Operation }

let made: Reference | undefined

/** Lists every operation of the document with its declaration, built once. */
export function reference(): Reference {
  made ??= makeReference()
  return made
}

export const findGroup = (slug: string): ReferenceGroup | undefined =>
  reference().groups.find((group) => group.slug === slug)

export const documentedHeaders = (): DocumentedHeader[] =>
  Object.entries(HEADERS)
    .map(([name, { description, schema }]) => ({
      name,
      type: String(schema.type ?? JSON.stringify(schema.const)),
      about: description,
    }))
    .toSorted((one, other) => one.name.toLowerCase().localeCompare(other.name.toLowerCase(), 'en'))

type Described = {
  parameters?: {
    name: string
    in: ParameterList['place']
    required?: boolean
    description?: string
    schema: JsonSchema
  }[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, Media> }>
}
type Media = { schema: JsonSchema; example?: unknown; 'x-event-schema'?: JsonSchema }

function makeReference(): Reference {
  const { components, paths } = openApiDocument()
  const schemas = components.schemas ?? {}
  const homes = homesOf(GROUPS)
  const groups = GROUPS.map((group) => ({
    slug: slugOf(group.tag),
    href: groupHref(group.tag),
    name: group.tag,
    about: group.description,
    operations: Object.entries(group.operations).map(([place, operation]) => {
      const [method, path] = place.split(' ') as [string, string]
      const described = paths[path]?.[method.toLowerCase()] as unknown as Described
      return documented({ group, method, path, operation, described, schemas, homes })
    }),
  }))
  const errorShapes = ERROR_SCHEMAS.map(({ name }) => ({
    name,
    shape: shapeOf(schemas[name] ?? {}, schemas, (component) => component !== name && SHARED.has(component)),
  }))
  return { groups, errorShapes, homes }
}

const SHARED = new Set(ERROR_SCHEMAS.map(({ name }) => name))

function homesOf(groups: readonly Group[]): Map<string, string> {
  const homes = new Map<string, string>()
  for (const { tag, operations } of groups) {
    for (const { id, content } of Object.values(operations)) {
      for (const one of content)
        if (one.kind === 'json' && !homes.has(one.name)) homes.set(one.name, operationHref(tag, id))
    }
  }
  return homes
}

type Parts = {
  group: Group
  method: string
  path: string
  operation: Operation
  described: Described
  schemas: Components
  homes: Map<string, string>
}

function documented({ group, method, path, operation, described, schemas, homes }: Parts): DeclaredOperation {
  const { id, summary, description, access, isDeprecated = false, sends } = operation
  const hasPlace = (component: string) => homes.has(component)
  return {
    slug: slugOf(id),
    href: operationHref(group.tag, id),
    id,
    group: { name: group.tag, href: groupHref(group.tag) },
    method,
    path,
    summary,
    ...(description !== undefined && { about: description }),
    isDeprecated,
    access,
    parameters: parametersOf(described),
    ...(described.requestBody && { body: bodyOf(described.requestBody, schemas) }),
    replies: Object.entries(described.responses['200']?.content ?? {}).map(([type, media]) =>
      replyOf(type, media, schemas, hasPlace),
    ),
    headers: Object.keys(headersOfReply(access, sends)),
    errors: errorsOf(operation, schemas),
    declared: operation,
  }
}

const PLACES = ['path', 'query', 'header'] as const

function parametersOf({ parameters = [] }: Described): ParameterList[] {
  return PLACES.map((place) => ({
    place,
    fields: parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required = false, description }) =>
        parameterField(name, schema, {
          isRequired: required,
          ...(description !== undefined && { about: description }),
        }),
      ),
  })).filter(({ fields }) => fields.length > 0)
}

function bodyOf({ required, content }: NonNullable<Described['requestBody']>, schemas: Components): DocumentedBody {
  return {
    isOptional: !required,
    forms: Object.entries(content).map(([type, { schema }]) => ({
      type,
      shape: shapeOf(schema, schemas),
      isClosed: schemas[nameIn(schema)]?.additionalProperties === false,
    })),
  }
}

const nameIn = ({ $ref }: JsonSchema): string => String($ref).split('/').at(-1) ?? ''

function replyOf(
  type: string,
  { schema, example, 'x-event-schema': event }: Media,
  schemas: Components,
  hasPlace: (component: string) => boolean,
): DocumentedReply {
  const described = event ?? schema
  const own = nameIn(described)
  const isPlain = described.$ref === undefined
  const { description } = schema
  return {
    type,
    ...(!isPlain && { shape: shapeOf(described, schemas, (component) => component !== own && hasPlace(component)) }),
    ...(typeof description === 'string' && { about: description }),
    ...(example !== undefined && {
      example: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
    }),
  }
}

function errorsOf(operation: Operation, schemas: Components): DocumentedError[] {
  return [...codesByStatus(operation)].map(([status, codes]) => {
    const bodies = bodiesOf(operation, status)
    const isShared = ({ name }: NamedSchema) => SHARED.has(name)
    return {
      status,
      name: STATUS_CODES[status] ?? String(status),
      codes,
      shared: bodies.filter(isShared).map(({ name }) => name),
      own: bodies
        .filter((body) => !isShared(body))
        .map(({ name }) => ({ name, shape: shapeOf(schemas[name] ?? {}, schemas, (one) => SHARED.has(one)) })),
    }
  })
}
