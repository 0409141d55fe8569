import { LEAST } from '@/e2e/servers/coverage/least'
import type { JsonSchema, Operation } from '@/e2e/servers/fuzz/operations'
import { type Hints, valueFor } from '@/e2e/servers/fuzz/values'
import type { Shape } from '@/lib/contract/docs'
import { type Components, shapeOf } from '@/lib/endpoints/docs/shape'

export type Place = 'query' | 'body' | 'form'

/** What an operation takes under one name: once, or once for each form of what is around it. */
export type CoveredField = {
  place: Place
  /** As it stands in the table: `tools[].type`. */
  name: string
  /** The field of the request that it is or stands in. */
  top: string
  /** Its own name, which is told with it; left out where what is around it has several forms. */
  leaf?: string
  isRequired: boolean
  /** What it may be, in words. */
  words: string
  spots: Spot[]
}

/** A place for a value: `put` gives what then stands in the field of the request. */
export type Spot = { schema: JsonSchema; put: (value: unknown) => unknown }

/** The parameters of the query and the fields of the body, those with two levels. */
export function fieldsOf({ parameters, json, form }: Operation, hints: Hints, components: Components): CoveredField[] {
  const inQuery = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, required }) => field('query', name, schema, required, components))
  return [
    ...inQuery,
    ...(json ? bodyFields(json.schema, hints, components) : []),
    ...(form ? formFields(form.schema, components) : []),
  ]
}

/** Parts that hold files are looked at by what the files hold, which is no matter of kinds and bounds. */
export const isFilePart = ({ contentMediaType, items }: JsonSchema): boolean =>
  contentMediaType !== undefined || (items as JsonSchema | undefined)?.contentMediaType !== undefined

function formFields(schema: JsonSchema, components: Components): CoveredField[] {
  return propertiesOf(schema)
    .filter(([, property]) => !isFilePart(property))
    .map(([name, property]) => field('form', name, property, isRequired(schema, name), components))
}

function bodyFields(body: JsonSchema, hints: Hints, components: Components): CoveredField[] {
  // Of a single thing or a list of such things, the single one.
  const [schema = body] = variantsOf(body)
  return propertiesOf(schema).flatMap(([name, property]) => [
    field('body', name, property, isRequired(schema, name), components),
    ...innerFields(name, property, hints, components),
  ])
}

function field(
  place: Place,
  name: string,
  schema: JsonSchema,
  isNeeded: boolean,
  components: Components,
): CoveredField {
  const words = wordsOf(shapeOf(schema, components))
  return { place, name, top: name, isRequired: isNeeded, words, spots: [{ schema, put: (value) => value }] }
}

/** What stands in an object, or in the objects of a list: those of all forms under one name. */
function innerFields(top: string, parent: JsonSchema, hints: Hints, components: Components): CoveredField[] {
  const found = new Map<string, CoveredField & { schemas: JsonSchema[]; forms: number }>()
  const forms = formsOf(parent)
  for (const { form, isItem } of forms) {
    const whole = valueFor(form, LEAST, hints, top) as Record<string, unknown>
    for (const [leaf, schema] of propertiesOf(form)) {
      if ('not' in schema) continue
      const name = `${top}${isItem ? '[]' : ''}.${leaf}`
      const put = (value: unknown) => {
        const { [leaf]: _, ...others } = whole
        const changed = value === undefined ? others : { ...whole, [leaf]: value }
        return isItem ? [changed] : changed
      }
      const known = found.get(name)
      found.set(name, {
        place: 'body',
        name,
        top,
        ...(forms.length === 1 && { leaf }),
        isRequired: (known?.isRequired ?? true) && isRequired(form, leaf),
        words: '',
        spots: [...(known?.spots ?? []), { schema, put }],
        schemas: [...(known?.schemas ?? []), schema],
        forms: (known?.forms ?? 0) + 1,
      })
    }
  }
  return [...found.values()].map(({ schemas, forms: count, ...one }) => ({
    ...one,
    isRequired: one.isRequired && count === forms.length,
    words: wordsOf(shapeOf({ anyOf: distinct(schemas) }, components)),
  }))
}

type InnerForm = { form: JsonSchema; isItem: boolean }

function formsOf(parent: JsonSchema): InnerForm[] {
  return variantsOf(parent).flatMap((variant): InnerForm[] => {
    if (variant.type === 'object') return [{ form: variant, isItem: false }]
    if (variant.type !== 'array') return []
    const items = variantsOf((variant.items ?? {}) as JsonSchema)
    return items.filter(({ type }) => type === 'object').map((form) => ({ form, isItem: true }))
  })
}

/** The things that something may be. */
function variantsOf(schema: JsonSchema): JsonSchema[] {
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  return choices ? choices.flatMap(variantsOf) : [schema]
}

const propertiesOf = ({ properties = {} }: JsonSchema): [name: string, schema: JsonSchema][] =>
  Object.entries(properties as Record<string, JsonSchema>)

const isRequired = ({ required = [] }: JsonSchema, name: string): boolean => (required as string[]).includes(name)

const distinct = (schemas: JsonSchema[]): JsonSchema[] => {
  const byText = new Map(schemas.map(({ description: _, ...schema }) => [JSON.stringify(schema), schema]))
  return [...byText.values()]
}

/** More than these are a list that belongs elsewhere. */
const MOST_CHOICES = 12

function wordsOf({ type, rules, choices, isNullable }: Shape): string {
  const shown = choices.length > MOST_CHOICES ? [...choices.slice(0, MOST_CHOICES), '…'] : choices
  const listed = shown.map((choice) => `\`${choice.replaceAll('"', '')}\``).join(' ')
  return [type, ...rules, listed, isNullable ? 'or `null`' : ''].filter(Boolean).join(', ')
}
