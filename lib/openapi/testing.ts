import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { openApiDocument } from '@/lib/openapi/document'

type Media = { schema: object; example?: unknown; 'x-event-schema'?: object }

let shared: Ajv2020 | undefined

/** Knows the whole document, so that its schemas may refer to each other. */
function validator(): Ajv2020 {
  if (shared) return shared
  shared = new Ajv2020({ strict: false, allErrors: true, formats: { base64: true, binary: true } })
  addFormats.default(shared)
  shared.addSchema(openApiDocument(), 'document')
  return shared
}

/** What is wrong with a value by a schema of the document; nothing when it fits. */
export function faultsOf(schema: object, value: unknown): string | undefined {
  const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
  const check = validator().compile(inDocument)
  return check(value) ? undefined : validator().errorsText(check.errors)
}

type DescribedReply = { $ref?: string; headers: Record<string, object>; content: Record<string, Media> }

/** What the document says of a reply. */
export function describedReply(place: `${string} /${string}`, status: number): DescribedReply {
  const { paths, components } = openApiDocument()
  const [method, path] = place.split(' ') as [string, string]
  const operation = paths[path]?.[method.toLowerCase()] as { responses: Record<string, DescribedReply> } | undefined
  const described = operation?.responses[status]
  const shared = components.responses as Record<string, DescribedReply>
  const reply = described?.$ref === undefined ? described : shared[described.$ref.split('/').at(-1)!]
  if (!reply) throw new Error(`the document has no ${status} of ${place}`)
  return reply
}

/** Headers of HTTP itself, which mean the same everywhere. */
const OF_HTTP = /^(content-.*|cache-control|vary|connection|allow|access-control-.*|x-accel-buffering)$/

/** A reply is one that the document promises: its status, its type, its headers, and its body. */
export async function expectDescribed(place: `${string} /${string}`, response: Response): Promise<unknown> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0]!
  const reply = describedReply(place, response.status)
  const known = new Set(Object.keys(reply.headers).map((name) => name.toLowerCase()))
  const unknown = [...response.headers.keys()].filter((name) => !known.has(name) && !OF_HTTP.test(name))
  expect(unknown, `headers of ${place} ${response.status}`).toEqual([])
  const media = reply.content[type]
  if (!media) throw new Error(`the document has no ${response.status} ${type} of ${place}`)
  if (type === 'text/event-stream') return expectEvents(media['x-event-schema']!, await response.text())
  if (type !== 'application/json') return response.arrayBuffer()
  const body = await response.json()
  expect(faultsOf(media.schema, body), JSON.stringify(body).slice(0, 2_000)).toBeUndefined()
  return body
}

function expectEvents(schema: object, text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
  const events = lines.map((line) => JSON.parse(line.slice('data: '.length)))
  expect(events.length).toBeGreaterThan(0)
  for (const event of events) expect(faultsOf(schema, event), JSON.stringify(event)).toBeUndefined()
  return events
}
