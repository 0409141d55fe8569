import type { Place } from '@/lib/endpoints/docs/openapi/testing-check'

export type JsonSchema = Record<string, unknown>
export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
  example?: string
}
type Body = { schema: JsonSchema; example: unknown; isOptional: boolean }

/** One operation of the document, with the schemas of what it takes. */
export type Operation = {
  place: Place
  method: string
  path: string
  parameters: Parameter[]
  json?: Body
  form?: Body & { example: Record<string, unknown> }
  /** Whose credentials it asks for first. */
  wants: 'key' | 'admin' | 'wallet' | 'nothing'
}

type Document = {
  paths: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, unknown>>
}
type Described = {
  parameters?: Parameter[]
  security: Record<string, unknown>[]
  requestBody?: RequestBody
}
type RequestBody = { required: boolean; content: Record<string, { schema: { $ref: string }; example: unknown }> }

export function operationsOf({ paths, components }: Document): Operation[] {
  const bodyOf = ({ required, content }: RequestBody, type: string): Body | undefined => {
    const media = content[type]
    if (!media) return undefined
    const schema = components.schemas![media.schema.$ref.split('/').at(-1)!] as JsonSchema
    return { schema, example: media.example, isOptional: !required }
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, described]) => {
      const { parameters = [], security, requestBody } = described as Described
      const method = name.toUpperCase()
      return {
        place: `${method} ${path}` as Place,
        method,
        path,
        parameters,
        json: requestBody && bodyOf(requestBody, 'application/json'),
        form: requestBody && (bodyOf(requestBody, 'multipart/form-data') as Operation['form']),
        wants: wantedBy(security),
      }
    }),
  )
}

function wantedBy(security: Record<string, unknown>[]): Operation['wants'] {
  const first = security.flatMap(Object.keys)[0]
  if (first === 'apiKey') return 'key'
  if (first === 'adminKey') return 'admin'
  return first === 'wallet' ? 'wallet' : 'nothing'
}
