import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '@/lib/endpoints/docs/openapi/document'

export type Place = `${string} /${string}`

type Media = { schema: object; 'x-event-schema'?: object }
type Described = { headers: Record<string, { $ref: string }>; content: Record<string, Media> }
type HeaderSchema = { type?: string; [keyword: string]: unknown }

const OF_HTTP =
  /^(content-.*|cache-control|vary|date|connection|keep-alive|transfer-encoding|allow|access-control-.*|x-accel-buffering)$/
const ALWAYS = ['cf-ray', 'x-service-version']
const ON_ERRORS = 'x-service-host-name'
const CATCH_ALL = '/models/{id}'
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE'])
const UNDESCRIBED = new Set([400, 404, 405, 431])

export type DocumentCheck = {
  /** Returns the violations of a schema that refers to the document, or `undefined`. */
  faultsOf: (schema: object, value: unknown) => string | undefined
  placeOf: (method: string, path: string) => Place | undefined
  faultsOfHead: (place: Place | undefined, status: number, headers: Headers) => string[]
  faultsOfBody: (place: Place | undefined, status: number, headers: Headers, body: string) => string[]
}

export function checkOf(document: OpenApiDocument): DocumentCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { base64: true, binary: true } })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()

  function faultsOf(schema: object, value: unknown): string | undefined {
    const text = JSON.stringify(schema)
    const check = compiled.get(text) ?? ajv.compile(JSON.parse(text.replaceAll('"#/', '"document#/')))
    compiled.set(text, check)
    return check(value) ? undefined : ajv.errorsText(check.errors)
  }

  const { schemas = {}, responses = {}, headers: knownHeaders = {} } = document.components
  const errorOnly = { 'application/json': { schema: schemas.Error ?? {} } }
  const commonHeaders = Object.values(responses as Record<string, Described>)[0]?.headers ?? {}

  function describedOf(place: Place | undefined, status: number): Described | undefined {
    if (place === undefined) return UNDESCRIBED.has(status) ? { headers: commonHeaders, content: errorOnly } : undefined
    const [method, path] = place.split(' ') as [string, string]
    const operation = document.paths[path]?.[method.toLowerCase()] as { responses: Record<string, unknown> } | undefined
    const own = operation?.responses[status] as (Described & { $ref?: string }) | undefined
    return own?.$ref === undefined ? own : (responses as Record<string, Described>)[own.$ref.split('/').at(-1)!]
  }

  function faultOfHeader(name: string, value: string, known: Map<string, string>): string | undefined {
    const reference = known.get(name)
    if (reference === undefined) return OF_HTTP.test(name) ? undefined : `header ${name} is not described`
    const { schema } = knownHeaders[reference.split('/').at(-1)!] as { schema: HeaderSchema }
    const faults = faultsOf(schema, schema.type === 'number' && value.trim() !== '' ? Number(value) : value)
    return faults && `header ${name}: ${value}: ${faults}`
  }

  return {
    faultsOf,
    placeOf: placesOf(document),
    faultsOfHead(place, status, headers) {
      const described = describedOf(place, status)
      if (!described) return [`the document has no ${status}`]
      const known = new Map(Object.entries(described.headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]))
      const missing = [...ALWAYS, ...(status >= 400 ? [ON_ERRORS] : [])].filter((name) => !headers.has(name))
      const type = typeOf(headers)
      return [
        ...missing.map((name) => `header ${name} is missing`),
        ...[...headers].flatMap(([name, value]) => faultOfHeader(name, value, known) ?? []),
        ...(described.content[type] ? [] : [`the document has no ${status} as ${type || 'nothing'}`]),
      ]
    },
    faultsOfBody(place, status, headers, body) {
      const type = typeOf(headers)
      const media = describedOf(place, status)?.content[type]
      if (!media) return []
      if (type === 'text/event-stream') return faultsOfEvents(media['x-event-schema']!, body)
      return type === 'application/json' ? faultsOfJson(media.schema, body) : []
    },
  }

  function faultsOfJson(schema: object, text: string): string[] {
    const parsed = parsedOf(text)
    if (!parsed) return ['the body is no JSON']
    const faults = faultsOf(schema, parsed.value)
    return faults ? [faults] : []
  }

  function faultsOfEvents(schema: object, text: string): string[] {
    const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    if (lines.length === 0) return ['a stream without events']
    return lines.flatMap((line) => faultsOfJson(schema, line.slice('data: '.length)))
  }
}

export const typeOf = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()

function parsedOf(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Resolves paths like the server's router: fixed segments before parameters, a trailing slash is ignored. */
function placesOf({ paths }: OpenApiDocument): DocumentCheck['placeOf'] {
  const templates = Object.keys(paths).map((path) => ({ path, segments: path.slice(1).split('/') }))
  const fixed = ({ segments }: { segments: string[] }) => segments.filter((segment) => !isParameter(segment)).length
  templates.sort((left, right) => fixed(right) - fixed(left))

  function pathOf(sent: string): string | undefined {
    const segments = sent.slice(1).split('/').map(decoded)
    if (segments.at(-1) === '') segments.pop()
    const fits = (template: string[]) =>
      template.length === segments.length &&
      template.every((segment, at) => (isParameter(segment) ? segments[at] !== '' : segment === segments[at]))
    const found = templates.find(({ segments }) => fits(segments))?.path
    if (found !== undefined) return found
    return segments.length > 2 && segments[0] === 'models' && CATCH_ALL in paths ? CATCH_ALL : undefined
  }

  return (method, sent) => {
    const path = pathOf(sent.split('?', 1)[0]!)
    const asked = method === 'HEAD' ? 'GET' : method
    if (path === undefined || !METHODS.has(asked) || !paths[path]?.[asked.toLowerCase()]) return undefined
    return `${asked} ${path as `/${string}`}`
  }
}

const isParameter = (segment: string): boolean => segment.startsWith('{')

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
