import { expect } from 'vitest'
import { openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { checkOf, type DocumentCheck, type Place, typeOf } from '@/lib/endpoints/docs/openapi/testing-check'

let shared: DocumentCheck | undefined

/** Knows the whole document of this build. */
function check(): DocumentCheck {
  shared ??= checkOf(openApiDocument())
  return shared
}

/** What is wrong with a value by a schema of the document; nothing when it fits. */
export const faultsOf = (schema: object, value: unknown): string | undefined => check().faultsOf(schema, value)

/** A reply is one that the document promises: its status, its type, its headers, and its body. */
export async function expectDescribed(place: Place, response: Response): Promise<unknown> {
  const { status, headers } = response
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString()
  const faults = [
    ...check().faultsOfHead(place, status, headers),
    ...check().faultsOfBody(place, status, headers, text),
  ]
  expect(faults, `${place} ${status}: ${text.slice(0, 2_000)}`).toEqual([])
  if (typeOf(headers) === 'text/event-stream') return eventsOf(text)
  return typeOf(headers) === 'application/json' ? JSON.parse(text) : bytes
}

const eventsOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))
