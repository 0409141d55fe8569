import type { CoveredField } from '@/e2e/servers/coverage/fields'
import type { JsonSchema } from '@/e2e/servers/fuzz/operations'
import { edgesOf } from '@/e2e/servers/fuzz/values'
import type { DocumentCheck } from '@/lib/endpoints/docs/openapi/testing-check'

/** Values that the document forbids, each as the field of the request is to hold it. */
export type BadValues = {
  /** Of another kind than the field's. */
  wrong: unknown[]
  /** Of its kind, but beyond its bounds or none of its choices. */
  beyond: unknown[]
}

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

const OF_EACH_KIND: readonly unknown[] = [null, true, 7, 1.5, 'text', [], [7], {}, { a: 1 }]
/** What a query and a form are made of. */
const TEXTS: readonly unknown[] = ['', 'text', '1.5', 'true', '[]']
/** A part of a form that nobody filled in counts as not sent. */
const isUnfilled = (place: CoveredField['place'], value: unknown): boolean => place === 'form' && value === ''
/** Longer bounds are those of addresses that hold their data, which no body can go beyond. */
const LONGEST = { characters: 1_000_001, items: 4_001 }

/** @param fits whether the document allows the field of the request to hold this. */
export function badValuesOf({ place, spots }: CoveredField, fits: (held: unknown) => boolean): BadValues {
  const wrong: unknown[] = []
  const beyond: unknown[] = []
  const kinds = new Set(spots.flatMap(({ schema }) => kindsOf(schema)))
  for (const { schema, put } of spots) {
    const edges = edgesOf(schema, LONGEST)
    const values = place === 'body' ? [...OF_EACH_KIND, ...edges] : [...TEXTS, ...edges.flatMap(asText)]
    for (const value of values) {
      const held = put(value)
      if (isUnfilled(place, value) || fits(held)) continue
      const isOfKind = place === 'body' ? kinds.has(kindOf(value)) : isTextOfKind(String(value), kinds)
      ;(isOfKind ? beyond : wrong).push(held)
    }
  }
  return { wrong: distinct(wrong), beyond: distinct(beyond) }
}

/** Whether a value fits a schema of the document, as a query or a form would hold it. */
export const textFits = (check: DocumentCheck, schema: JsonSchema, text: string): boolean =>
  check.faultsOf(schema, kindsOf(schema).includes('number') && text.trim() !== '' ? Number(text) : text) === undefined

const asText = (value: unknown): string[] => (value === null || typeof value === 'object' ? [] : [String(value)])

function isTextOfKind(text: string, kinds: Set<Kind>): boolean {
  return kinds.has('string') || (kinds.has('number') && text.trim() !== '' && Number.isFinite(Number(text)))
}

function kindsOf(schema: JsonSchema): Kind[] {
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices) return choices.flatMap(kindsOf)
  if (Array.isArray(schema.enum)) return schema.enum.map(kindOf)
  if ('const' in schema) return [kindOf(schema.const)]
  return [schema.type].flat().map((type) => (type === 'integer' ? 'number' : (type as Kind)))
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as Kind
}

const distinct = (values: unknown[]): unknown[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
