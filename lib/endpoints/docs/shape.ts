import type { Field, Form, Shape } from '@/lib/contract/docs'
import type { JsonSchema } from '@/lib/endpoints/docs/openapi/components'

export type Components = Record<string, JsonSchema>

/**
 * Describes JSON Schema for readers. @param components targets of references. @param hasPlace whether a component has
 * its own page and is only named.
 */
export function shapeOf(
  schema: JsonSchema,
  components: Components,
  hasPlace: (component: string) => boolean = () => false,
): Shape {
  return shape(schema, { components, hasPlace, within: [] })
}

type Reading = {
  components: Components
  hasPlace: (component: string) => boolean
  within: readonly string[]
}

const REFERENCE = '#/components/schemas/'
const EMPTY: Omit<Shape, 'type'> = { rules: [], choices: [], fields: [], forms: [] }

function shape(schema: JsonSchema, reading: Reading): Shape {
  const { $ref } = schema
  if (typeof $ref === 'string') return referred($ref.slice(REFERENCE.length), reading)
  const options = optionsOf(schema)
  if (options) return united(options, reading)
  if ('const' in schema) return { ...plain(typeName(schema.const)), choices: [JSON.stringify(schema.const)] }
  if (Array.isArray(schema.enum)) return choice(schema.enum)
  if (Array.isArray(schema.type)) {
    const { type, ...rest } = schema
    return united(
      type.map((one: unknown) => ({ ...rest, type: one })),
      reading,
    )
  }
  switch (schema.type) {
    case 'array':
      return list(schema, reading)
    case 'object':
      return object(schema, reading)
    case undefined:
      return plain('any value')
    default:
      return { ...plain(String(schema.type)), rules: rulesOf(schema) }
  }
}

const plain = (type: string): Shape => ({ type, ...EMPTY })
const typeName = (value: unknown): string => (value === null ? 'null' : typeof value)

function referred(name: string, reading: Reading): Shape {
  const component = reading.components[name]
  if (!component || reading.within.includes(name) || reading.hasPlace(name)) return { ...plain(name), component: name }
  return shape(component, { ...reading, within: [...reading.within, name] })
}

function choice(values: readonly unknown[]): Shape {
  const types = [...new Set(values.map(typeName))]
  return { ...plain(types.join(' or ')), choices: values.map((value) => JSON.stringify(value)) }
}

function list(schema: JsonSchema, reading: Reading): Shape {
  const items = shape((schema.items ?? {}) as JsonSchema, reading)
  const each = items.rules.length > 0 ? [`each ${items.rules.join(', ')}`] : []
  return { ...items, type: `array of ${many(items.type)}`, rules: [...rulesOf(schema), ...each] }
}

const many = (type: string): string =>
  type
    .split(' or ')
    .map((one) => (/^(string|number|integer|boolean|object|any value)$/.test(one) ? `${one}s` : one))
    .join(' or ')

function object(schema: JsonSchema, reading: Reading): Shape {
  const required = new Set(schema.required as string[] | undefined)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const fields = properties.map(([name, property]) => fieldOf(name, property, required.has(name), reading))
  const others = schema.additionalProperties
  if (fields.length > 0 || typeof others !== 'object' || others === null) return { ...plain('object'), fields }
  const value = shape(others as JsonSchema, reading)
  const isOpen = value.type === 'any value'
  return { ...value, type: isOpen ? 'object' : `object of ${many(value.type)} by name` }
}

function fieldOf(name: string, schema: JsonSchema, isRequired: boolean, reading: Reading): Field {
  const { description, default: initial, ...rest } = schema
  return {
    ...shape(rest, reading),
    name,
    isRequired,
    ...(typeof description === 'string' && { about: description }),
    ...(initial !== undefined && { initial: JSON.stringify(initial) }),
  }
}

export function parameterField(
  name: string,
  schema: JsonSchema,
  { isRequired, about }: { isRequired: boolean; about?: string },
): Field {
  const field = fieldOf(name, schema, isRequired, { components: {}, hasPlace: () => false, within: [] })
  return about === undefined ? field : { ...field, about }
}

function optionsOf(schema: JsonSchema): JsonSchema[] | undefined {
  const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  return options?.flatMap((option) => optionsOf(option) ?? [option])
}

function united(options: readonly JsonSchema[], reading: Reading): Shape {
  const real = options.filter(({ type }) => type !== 'null')
  const shapes = real.map((option) => shape(option, reading))
  const isNullable = real.length < options.length || shapes.some((one) => one.isNullable)
  const nullable = isNullable ? ({ isNullable } as const) : {}
  const [only] = shapes
  if (only && shapes.length === 1) return { ...only, ...nullable }
  const inner = shapes.filter(({ fields, forms }) => fields.length > 0 || forms.length > 0)
  const [one] = inner
  // One of a thing, or a list of such things.
  const isSame = new Set(inner.map(({ fields, forms }) => JSON.stringify([fields, forms]))).size === 1
  const components = new Set(shapes.map(({ component }) => component))
  return {
    type: [...new Set(shapes.map(({ type }) => type))].join(' or ') || 'null',
    rules: [...new Set(shapes.flatMap(({ rules }) => rules))],
    choices: [...new Set(shapes.filter((each) => !inner.includes(each)).flatMap(({ choices }) => choices))],
    fields: isSame && one ? one.fields : [],
    forms: isSame && one ? one.forms : inner.flatMap((each) => formsOf(each, inner)),
    ...nullable,
    ...(components.size === 1 && only?.component !== undefined && { component: only.component }),
  }
}

const formsOf = (each: Shape, all: readonly Shape[]): Form[] =>
  each.forms.length > 0 ? each.forms : [{ ...each, label: labelOf(each, all) }]

const MOST_TELLING_VALUES = 3
const MOST_NAMES = 3

function labelOf(form: Shape, all: readonly Shape[]): string {
  const told = tellingOf(form, all)
  const isAlone = all.every((one) => one === form || tellingOf(one, all) !== told)
  if (told !== '' && isAlone) return told
  const others = all.filter((one) => one !== form && tellingOf(one, all) === told)
  const own = form.fields.filter(({ name, isRequired }) => isRequired && others.every((one) => !needs(one, name)))
  const names = (own.length > 0 ? own : form.fields).filter(({ name }) => !told.includes(`${name}:`))
  const shown = names.slice(0, MOST_NAMES).map(({ name }) => name)
  return [told, `with ${shown.join(', ')}`].filter(Boolean).join(', ')
}

function tellingOf(form: Shape, all: readonly Shape[]): string {
  const telling = form.fields.filter(
    ({ name, choices, isRequired }) =>
      (isRequired || name === 'type') &&
      choices.length > 0 &&
      choices.length <= MOST_TELLING_VALUES &&
      differs(name, all),
  )
  return telling.map(({ name, choices }) => `${name}: ${choices.join(' or ')}`).join(', ')
}

const differs = (name: string, all: readonly Shape[]): boolean =>
  new Set(all.map(({ fields }) => fields.find((field) => field.name === name)?.choices.join())).size > 1

const needs = ({ fields }: Shape, name: string): boolean =>
  fields.some((field) => field.name === name && field.isRequired)

function rulesOf(schema: JsonSchema): string[] {
  const bound = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined)
  return [
    range(bound('minimum'), bound('maximum'), bound('exclusiveMinimum'), bound('exclusiveMaximum')),
    counted(bound('minLength'), bound('maxLength'), 'character'),
    counted(bound('minItems'), bound('maxItems'), 'item'),
    typeof schema.format === 'string' ? (FORMATS[schema.format] ?? schema.format) : undefined,
    typeof schema.pattern === 'string' ? `matches \`${schema.pattern}\`` : undefined,
    schema.contentMediaType === undefined ? undefined : 'a file',
  ].filter((rule) => rule !== undefined)
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'ISO 8601 date and time',
  date: 'ISO 8601 date',
  uuid: 'UUID',
  uri: 'address',
  base64: 'base64',
}

function range(least?: number, most?: number, above?: number, below?: number): string | undefined {
  if (least !== undefined && most !== undefined) return `${digits(least)} to ${digits(most)}`
  const low =
    least === undefined ? (above === undefined ? '' : `more than ${digits(above)}`) : `at least ${digits(least)}`
  const high =
    most === undefined ? (below === undefined ? '' : `less than ${digits(below)}`) : `at most ${digits(most)}`
  return [low, high].filter(Boolean).join(', ') || undefined
}

function counted(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const units = (count: number) => `${digits(count)} ${unit}${count === 1 ? '' : 's'}`
  if (most === undefined)
    return least === undefined || least === 0 ? undefined : least === 1 ? 'not empty' : `at least ${units(least)}`
  if (least === most) return units(most)
  return least === undefined || least === 0 ? `at most ${units(most)}` : `${digits(least)} to ${units(most)}`
}

const digits = (count: number): string => count.toLocaleString('en-US')
