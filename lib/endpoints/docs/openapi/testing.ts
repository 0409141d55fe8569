import { expect } from 'vitest'
import { openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { checkOf, type DocumentCheck, type Place, typeOf } from '@/lib/endpoints/docs/openapi/testing-check'

let shared: DocumentCheck | undefined

function check(): DocumentCheck {
  shared ??= checkOf(openApiDocument())
  return shared
}

export const faultsOf = (schema: object, value: unknown): string | undefined => check().faultsOf(schema, value)

/** Asserts that a reply matches the document: its status, type, headers and body. */
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
